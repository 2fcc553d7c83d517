// The Khronos validator over files: node validate.mjs OUT [OUT=IN ...]
// Fails on every kind of error and warning that the file has and IN, the file it was made of, has not.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import validator from 'gltf-validator';

async function issues(file) {
  const bytes = new Uint8Array(await readFile(file));
  const report = await validator.validateBytes(bytes, {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  return report.issues.messages;
}

// Severities of the validator: 0 error, 1 warning, 2 information, 3 hint.
let faults = 0;
for (const argument of process.argv.slice(2)) {
  const [file, source] = argument.split('=');
  const known = new Set();
  if (source) {
    for (const issue of await issues(source)) {
      known.add(issue.code);
    }
  }
  for (const issue of await issues(file)) {
    if (issue.severity <= 1 && !known.has(issue.code)) {
      console.error(`${file}: ${issue.severity ? 'warning' : 'error'} ${issue.code} at ${issue.pointer ?? issue.offset}: ${issue.message}`);
      ++faults;
    }
  }
}
console.log(`${process.argv.length - 2} files, ${faults} faults`);
process.exit(faults ? 1 : 0);
