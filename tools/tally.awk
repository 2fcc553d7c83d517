# Counts test cases in ctest's LastTest.log. A cmocka program prints a line for each of its cases; any other test counts
# as one. Prints what was skipped, and why, and "tally PASSED FAILED SKIPPED".
function close_test()
{
    if (name == "") {
        return
    }
    cases = ok + bad + left_out
    if (cases == 0) {
        ok = verdict == "Passed"
        left_out = verdict == "Skipped"
        bad = !ok && !left_out
        if (left_out) {
            print "skipped: " name
        }
    } else if (verdict == "Failed" && bad == 0) {
        bad = 1 # it died between two cases, or after the last
    }
    passed += ok; failed += bad; skipped += left_out
    name = ""
}
/^[0-9]+\/[0-9]+ Testing: / { close_test(); name = $3; verdict = "Failed"; ok = bad = left_out = 0; delete seen; next }
/^\[       OK \] / { if (!(("o" $4) in seen)) { seen["o" $4]; ++ok } next }
/^\[  FAILED  \] / && NF == 4 { if (!(("f" $4) in seen)) { seen["f" $4]; ++bad } next }
/^\[  SKIPPED \] / && NF == 4 { if (!(("s" $4) in seen)) { seen["s" $4]; ++left_out; print "skipped: " name ", " $4 } next }
/^skipped: / { print "  " $0 }
/^Test Passed\.$/ { verdict = "Passed" }
/^Test Failed\.$/ { verdict = "Failed" }
/^Test (time|Skipped)/ && /Skipped/ { verdict = "Skipped" }
END { close_test(); print "tally " passed + 0, failed + 0, skipped + 0 }
