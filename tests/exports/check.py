"""Gives exported exercises and a term to importers that aren't ours, and to published schemas, and writes down what they say.

    check.py <folder with the sources> <folder with the exports> <verdicts.json>

Run by `cargo xtask test --only exports`. Moodle's own importers run in PHP (`moodle.php`, `cartridge.php`). Canvas reads QTI 1.2
through its migration tool, which writes QTI 2.1. QTI 2.1 and the cartridge are held to the published schemas."""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lxml import etree

HERE = pathlib.Path(__file__).parent
QTI = {"float": "number", "identifier": "choice", "directedPair": "match", "string": "essay"}
CANVAS = {
    "numerical_question": "number",
    "multiple_choice_question": "choice",
    "multiple_answers_question": "choice",
    "matching_question": "match",
    "essay_question": "essay",
}
# Of a cartridge's questions.
PROFILES = {
    "cc.multiple_choice.v0p1": "choice",
    "cc.multiple_response.v0p1": "choice",
    "cc.fib.v0p1": "text",
    "cc.essay.v0p1": "essay",
}


def moodle(sources, exports):
    """Moodle's importers of XML and of GIFT."""
    files = [exports / "moodle/questions.xml", exports / "gift/questions.gift.txt"]
    command = ["php", HERE / "moodle.php", sources / "moodle", *files]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def qti21(sources, exports):
    """The schema of QTI 2.1, as the OAT's SDK carries it."""
    schema = etree.XMLSchema(etree.parse(sources / "qti-sdk/src/qtism/data/storage/xml/schemes/qtiv2p1/imsqti_v2p1.xsd"))
    read, complaints = collections.Counter(), []
    for path in sorted((exports / "qti21").rglob("*.xml")):
        if path.name == "imsmanifest.xml":
            continue
        document = etree.parse(path)
        if not schema.validate(document):
            complaints.append(f"{path.name}: {schema.error_log.last_error.message}")
            continue
        response = document.find(".//{*}responseDeclaration")
        if response is not None:
            ordered = response.get("cardinality") == "ordered"
            read["order" if ordered else QTI[response.get("baseType")]] += 1
    return {"read": dict(sorted(read.items())), "complaints": complaints}


def migrated(sources, package, complaints):
    """The items that Canvas's migration tool makes of a package or a file of QTI 1.2."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "migrate.py", "--ucvars", "--nogui", "--overwrite", f"--cpout={out}", package]
        folder = sources / "QTIMigrationTool"
        said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
        if "Traceback" in said.stdout + said.stderr:
            complaints.append(said.stderr[-500:])
        return [etree.parse(path) for path in sorted(pathlib.Path(out).glob("assessmentItems/*.xml"))]


def canvas_tool(sources, exports):
    """The tool through which Canvas reads QTI 1.2."""
    read, complaints = collections.Counter(), []
    for item in migrated(sources, exports / "canvas", complaints):
        kind = item.find(".//{*}instructureField[@name='question_type']")
        read[CANVAS.get(kind.get("value"), kind.get("value"))] += 1
    return {"read": dict(sorted(read.items())), "complaints": complaints}


def canvas_schema(sources, exports):
    """The DTD of QTI 1.2.1, but for the points of a question group, which Canvas writes into it itself."""
    definition = etree.DTD(str(sources / "QTIMigrationTool/schemas/ims_qtiasiv1p2p1.dtd"))
    text = (exports / "canvas/ringside/ringside.xml").read_text()
    tree = etree.fromstring(text.replace(' xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"', "").encode())
    for extension in tree.findall(".//selection_extension"):
        extension.getparent().remove(extension)
    complaints = [] if definition.validate(tree) else [str(definition.error_log.last_error)]
    entries = tree.iterfind(".//item/itemmetadata/qtimetadata/qtimetadatafield/fieldentry")
    read = collections.Counter(CANVAS[e.text] for e in entries if e.text in CANVAS)
    return {"read": dict(sorted(read.items())), "complaints": complaints}


def cartridge_moodle(sources, exports):
    """Moodle's importer of cartridges, which writes a Moodle 1 course beside the cartridge's files."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = shutil.copytree(exports / "cartridge", pathlib.Path(scratch) / "cartridge")
        command = ["php", HERE / "cartridge.php", sources / "moodle", folder]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cartridge_canvas(sources, exports):
    """The tool through which Canvas reads a cartridge's quizzes, one by one."""
    read, complaints = collections.Counter(), []
    for path in sorted((exports / "cartridge/quizzes").glob("*.xml")):
        items = migrated(sources, path, complaints)
        kinds = [item.find(".//{*}instructureField[@name='cc_profile']").get("value") for item in items]
        read.update(PROFILES[kind] for kind in kinds)
        read["quizzes"] += 1
    return {"read": dict(sorted(read.items())), "complaints": complaints}


def broken_rules(schema, document):
    """What a document breaks of the rules that a schema carries beside its types."""
    names = {ns.get("prefix"): ns.get("uri") for ns in schema.iterfind(".//{*}ns")}
    for rule in schema.iterfind(".//{*}rule"):
        for place in document.xpath(f"//{rule.get('context')}", namespaces=names):
            for test in rule.iterfind("{*}assert"):
                if not place.xpath(f"boolean({test.get('test')})", namespaces=names):
                    yield " ".join(test.text.split())


def cartridge_schemas(sources, exports):
    """The schemas of Common Cartridge 1.1, as Moodle carries them, with the rules within them."""
    folder = sources / "moodle/backup/cc/schemas11"
    files = {
        "imsmanifest.xml": ("cc11libxml2validator.xsd", "ccv1p1_imscp_v1p2_v1p0.xsd"),
        "links/*.xml": ("ccv1p1_imswl_v1p1.xsd",) * 2,
        "quizzes/*.xml": ("ccv1p1_qtiasiv1p2p1_v1p0.xsd",) * 2,
    }
    read, complaints = collections.Counter(), []
    for pattern, (types, rules) in files.items():
        schema, rules = etree.XMLSchema(etree.parse(folder / types)), etree.parse(folder / rules)
        for path in sorted((exports / "cartridge").glob(pattern)):
            document = etree.parse(path)
            if not schema.validate(document):
                complaints.append(f"{path.name}: {schema.error_log.last_error.message}")
            complaints += [f"{path.name}: {broken}" for broken in broken_rules(rules, document)]
            read["sections"] += len(document.findall("{*}organizations/{*}organization/{*}item/{*}item"))
            read["links"] += document.getroot().tag.endswith("webLink")
            read["quizzes"] += document.find("{*}assessment") is not None
            entries = document.iterfind(".//{*}item/{*}itemmetadata/{*}qtimetadata/{*}qtimetadatafield/{*}fieldentry")
            read.update(PROFILES[entry.text] for entry in entries if entry.text in PROFILES)
    return {"read": dict(sorted(read.items())), "complaints": complaints}


def anki(_, exports):
    """No importer, but its rules: cells between tabs, quotes in pairs, an id for each note and no id twice."""
    lines = (exports / "anki/notes.txt").read_text().splitlines()
    notes = [line.split("\t") for line in lines if not line.startswith("#")]
    complaints = [f"{note[0]} has {len(note)} cells" for note in notes if len(note) != 4]
    complaints += [f"{note[0]} has an odd quote" for note in notes if any(cell.count('"') % 2 for cell in note)]
    if len({note[0] for note in notes}) != len(notes):
        complaints.append("an id stands twice")
    return {"notes": len(notes), "complaints": complaints}


def main():
    sources, exports, verdicts = map(pathlib.Path, sys.argv[1:])
    said = moodle(sources.resolve(), exports.resolve())
    said["Schema of QTI 2.1"] = qti21(sources, exports)
    said["Canvas’s migration tool"] = canvas_tool(sources, exports.resolve())
    said["DTD of QTI 1.2.1"] = canvas_schema(sources, exports)
    notes = anki(sources, exports)
    term = {
        "Moodle’s cartridge importer": cartridge_moodle(sources.resolve(), exports),
        "Canvas’s migration tool, by quiz": cartridge_canvas(sources, exports.resolve()),
        "Schemas of Common Cartridge 1.1": cartridge_schemas(sources, exports),
    }
    complaints = [complaint for each in [*said.values(), *term.values(), notes] for complaint in each["complaints"]]
    for complaint in complaints[:20]:
        print(complaint, file=sys.stderr)
    if complaints:
        sys.exit(f"{len(complaints)} complaints")
    counts = {sum(each["read"].values()) for each in said.values()} | {notes["notes"]}
    if len(counts) != 1:
        sys.exit(f"They don't agree on how many questions there are: {sorted(counts)}")
    of_term = [each["read"] for each in term.values()]
    whole = of_term[0]
    # Canvas's tool sees no links.
    if any(read != {what: whole.get(what) for what in read} for read in of_term):
        sys.exit(f"They don't agree on what the term has: {of_term}")
    verdicts.write_text(json.dumps(said | term, indent=1, ensure_ascii=False) + "\n")
    print(f"{counts.pop()} questions, read by {', '.join(said)}; a term, read by {', '.join(term)}")


main()
