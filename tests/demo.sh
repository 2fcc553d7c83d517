#!/bin/bash
# pleat demo as its users run it: demo.sh PLEAT FOLDER quick|long. Cases are functions named test_quick_... or test_long_...
. "$(dirname "$0")/harness.sh"
which=$3

# Pictures need a graphics driver.
needs_pictures()
{
    "$pleat" render hero.gltf -o plain.png --size 64x48 > out 2> err || skip "$(cat err)"
}

test_long_writes_characters_that_are_the_same_every_time()
{
    works demo --assets characters
    for name in arm dancer hand belly rectangle towel skirt shirt; do
        [ -s characters/$name.glb ] || complain "no $name.glb"
    done
    for name in rectangle towel skirt shirt; do
        for ending in pc2 json rest.obj; do
            [ -s characters/$name.$ending ] || complain "no $name.$ending"
        done
    done
    works demo --assets again -j 1
    diff -r characters again
    [ -d "$here/node_modules/gltf-validator" ] || skip "no gltf-validator in tests/node_modules"
    node "$here/validate.mjs" characters/*.glb
}

test_quick_makes_a_page()
{
    needs_pictures
    works demo --quick -o 'page & more'
    grep -q 'compressed under 0.9' out
    grep -q 'open page & more/index.html' out
    python3 - 'page & more' << 'END'
import html.parser, os, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.open = [], []
    def handle_starttag(self, tag, attributes):
        self.links += [v for k, v in attributes if k in ("src", "href", "poster")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
page = Page()
page.feed(open(sys.argv[1] + "/index.html").read())
page.close()
assert not page.open and len(page.links) > 20, page.links
for link in page.links:
    assert ":" not in link and not link.startswith("/"), link
    assert os.path.getsize(os.path.join(sys.argv[1], link)) > 0, link
END
    [ -d "$here/node_modules/gltf-validator" ] || skip "no gltf-validator in tests/node_modules"
    node "$here/validate.mjs" 'page & more'/*.glb
}

test_long_goes_on_without_ffmpeg()
{
    needs_pictures
    status=0
    PATH=$PWD/nothing "$pleat" demo --quick -o filmless > out 2> err || status=$?
    [ "$status" = 0 ] || complain "exit $status without ffmpeg"
    grep -q 'no film: .*install ffmpeg' err
    [ -s filmless/dancer-back.png ] && [ -s filmless/index.html ] && [ ! -e filmless/dancer.mp4 ]
    ! grep -q '<video' filmless/index.html
    fails 1 "is not a folder" demo --quick -o filmless/index.html
    fails 1 "could not be made" demo --assets filmless/index.html/deeper
}

# The number of the README, on two cores of a machine that has nothing else to do; here with room to spare.
test_long_whole_demo()
{
    needs_pictures
    works demo -o whole
    for name in dancer arm; do
        for file in $name.glb $name-folds.glb $name.mp4 $name-plot.svg $name-strain.png; do
            [ -s whole/$file ] || complain "no $file"
        done
    done
    [ "$(du -sm whole | cut -f1)" -lt 200 ] || complain "the demo takes $(du -sm whole)"
}

run_cases "test_${which}_"
