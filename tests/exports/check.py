"""Gives exported exercises and a term to importers that aren't ours, and to published schemas, and writes down what they say.

    check.py <folder with the sources> <folder with the exports> <verdicts.json>

Run by `cargo xtask test --only exports`. Moodle's own importers run in PHP (`moodle.php`, `cartridge.php`). Canvas reads QTI 1.2
through its migration tool, which writes QTI 2.1. Anki imports its notes. QTI 2.1 and the cartridge are held to the published schemas."""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from anki.collection import Collection, ImportCsvRequest
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
# What Anki says of notes that it doesn't take.
REFUSED = ["updated", "duplicate", "conflicting", "first_field_match", "missing_notetype", "missing_deck", "empty_first_field"]
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


def anki(exports):
    """Anki's own importer, into a new collection; and once more, which changes nothing where each note has an id."""
    path = str((exports / "anki/notes.txt").resolve())
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(pathlib.Path(folder) / "collection.anki2"))
        request = ImportCsvRequest(path=path, metadata=collection.get_csv_metadata(path=path, delimiter=None))
        first, again = (collection.import_csv(request).log for _ in range(2))
        notes = collection.note_count()
        decks = [deck.name for deck in collection.decks.all_names_and_ids() if deck.name.startswith("Ringside::")]
        collection.close()
    complaints = [f"{name}: {len(getattr(first, name))}" for name in REFUSED if getattr(first, name)]
    if (len(first.new), len(again.duplicate), notes) != (first.found_notes,) * 3:
        complaints.append(f"{first.found_notes} notes, {len(first.new)} new, {len(again.duplicate)} known again, {notes} kept")
    return {"read": {"notes": notes}, "decks": len(decks), "complaints": complaints}


def main():
    sources, exports, verdicts = map(pathlib.Path, sys.argv[1:])
    said = moodle(sources.resolve(), exports.resolve())
    said["Schema of QTI 2.1"] = qti21(sources, exports)
    said["Canvas’s migration tool"] = canvas_tool(sources, exports.resolve())
    said["DTD of QTI 1.2.1"] = canvas_schema(sources, exports)
    said["Anki"] = anki(exports)
    term = {
        "Moodle’s cartridge importer": cartridge_moodle(sources.resolve(), exports),
        "Canvas’s migration tool, by quiz": cartridge_canvas(sources, exports.resolve()),
        "Schemas of Common Cartridge 1.1": cartridge_schemas(sources, exports),
    }
    complaints = [complaint for each in [*said.values(), *term.values()] for complaint in each["complaints"]]
    for complaint in complaints[:20]:
        print(complaint, file=sys.stderr)
    if complaints:
        sys.exit(f"{len(complaints)} complaints")
    counts = {sum(each["read"].values()) for each in said.values()}
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
