// The Khronos validator over files: node validate.mjs OUT [OUT=IN ...]
// Fails on every error and warning that the file has and IN, the file it was made of, has not, or has fewer of.
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import validator from 'gltf-validator';

// Severities of the validator: 0 error, 1 warning, 2 information, 3 hint.
export async function issues(file) {
  const bytes = new Uint8Array(await readFile(file));
  const report = await validator.validateBytes(bytes, {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  return report.issues.messages.filter((issue) => issue.severity <= 1);
}

// The issues of a file beyond those that its source has, code by code.
export async function newIssues(file, source) {
  const left = new Map();
  for (const issue of source ? await issues(source) : []) {
    left.set(issue.code, (left.get(issue.code) ?? 0) + 1);
  }
  return (await issues(file)).filter((issue) => {
    const known = left.get(issue.code) ?? 0;
    left.set(issue.code, known - 1);
    return known <= 0;
  });
}

export function tell(file, issue) {
  return `${file}: ${issue.severity ? 'warning' : 'error'} ${issue.code} at ${issue.pointer ?? issue.offset}: ${issue.message}`;
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  let faults = 0;
  for (const argument of process.argv.slice(2)) {
    const [file, source] = argument.split('=');
    for (const issue of await newIssues(file, source)) {
      console.error(tell(file, issue));
      ++faults;
    }
  }
  console.log(`${process.argv.length - 2} files, ${faults} faults`);
  process.exit(faults ? 1 : 0);
}
