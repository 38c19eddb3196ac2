#!/usr/bin/env python3
"""Checks what an Ulmus registry gave out, without trusting it. Needs Python 3.8 or newer and nothing else.

    python3 verify.py export FILE.tar.gz [--digest D]    a whole version, as `GET .../export` sends it
    python3 verify.py proof FILE.json [--digest D]       one record, as `GET .../records/TYPE/ID?proof=true` sends it
    python3 verify.py log FILE.json --vkey KEY --digest D [--version V]
                                                         a version in the signed log, as `GET .../versions/V/log` sends it

Name what you asked for, so that no answer about something else is taken for it: --version v1.0.0, or owner/slug@v1.0.0, for a log
or an export (whose number no digest proves); --record TYPE/ID for a proof.

KEY is a public key of the log, as name+id+key; repeat --vkey for more keys, and --witness KEY for each witness that must have signed too.
--checkpoint OLD.txt --url https://registry.example also checks that the log continues the checkpoint of an earlier visit.

D is the version's digest (`public:` or `private:` and 64 hexadecimal digits, or the digits alone) from a source that you trust.
Without --digest the file is checked against the digest that it names itself: compare the printed digest with the one you know.

Exit codes: 0 the file is what the digest says; 1 it is not, the sentence says why; 2 wrong usage.
The formats are described in docs/verifying.md. The numbers of the tree are those of its section "The tree".
"""
import argparse
import base64
import hashlib
import json
import math
import re
import sys
import urllib.request
import zlib

LEAF_BITS, LEVEL_BITS, KEY_BITS = 10, 6, 64
LEAF_ENTRIES_MAX, CHILDREN_MAX = 8192, 1024
BLOCK = 512  # bytes of a block of a tar archive
CHUNK = 1 << 20  # bytes read from the disk at once
TEXT_MAX = 1 << 26  # bytes of a line, a schema or another text: more than any registry sends, in case an archive has no end


class Refused(Exception):
    """The file is not what the digest says. The message says why."""


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# ---- Canonical JSON (RFC 8785) --------------------------------------------------------------------------------------


def canonical_number(value):
    """A number as ECMAScript writes it (RFC 8785, section 3.2.2.3)."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Refused("A number is not finite.")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0)  # the decimal point stands after so many digits of whole + fraction
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    text = digits[0] + ("." + digits[1:] if count > 1 else "")
    return sign + text + "e" + ("+" if power > 0 else "-") + str(abs(power))


SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
ESCAPES = {ord(char): SHORT_ESCAPES.get(char, "\\u%04x" % ord(char)) for char in map(chr, [*range(32), 34, 92])}


def canonical_text(value):
    return '"' + value.translate(ESCAPES) + '"'


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return canonical_text(value)
    if isinstance(value, (int, float)):
        return canonical_number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical_text(name) + ":" + canonical(value[name]) for name in names) + "}"


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("An object has the same member name twice.")
    return members


def parse(text, what):
    """JSON text, or its UTF-8 bytes, as a value."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        text.encode("utf-8")  # refuses half of a surrogate pair
        return json.loads(text, object_pairs_hook=unique_members, parse_constant=lambda name: float("nan"))
    except (ValueError, RecursionError):
        raise Refused(f"{what} is no JSON text in UTF-8.")


def parse_canonical(text, what):
    value = parse(text, what)
    encoded = text if isinstance(text, bytes) else text.encode("utf-8")
    try:
        if canonical(value).encode("utf-8") == encoded:
            return value
    except UnicodeEncodeError:
        pass
    raise Refused(f"{what} is not in canonical form.")


def members_of(value, names, what):
    if not isinstance(value, dict) or set(value) != set(names):
        raise Refused(f"{what} must be an object of {', '.join(names)}.")
    return [value[name] for name in names]


# ---- Trees ----------------------------------------------------------------------------------------------------------


def trailing_zero_bits(key):
    """Of the first 8 bytes of the key's SHA-256, read big-endian: 0 to 64."""
    number = int.from_bytes(hashlib.sha256(key).digest()[:8], "big")
    return (number & -number).bit_length() - 1 if number else KEY_BITS


def ends_node(zeros, level):
    bits = LEAF_BITS + LEVEL_BITS * level
    return bits <= KEY_BITS and zeros >= bits


class Tree:
    """Builds a tree over entries that arrive in key order, and keeps only the unfinished node of each level."""

    def __init__(self):
        self.levels = []  # of each level: the rows of the unfinished node, and how many nodes were finished
        self.last_key = None

    def add(self, key, row, size):
        """`key`: bytes, in ascending order; `row`: the entry as it stands in a leaf."""
        if self.last_key is not None and key <= self.last_key:
            raise Refused("The entries are not in the order of their keys' bytes.")
        self.last_key = key
        self._add(0, canonical(row), key, 1, size)

    def _add(self, level, row, key, count, size):
        if level == len(self.levels):
            self.levels.append({"rows": [], "count": 0, "bytes": 0, "key": b"", "done": 0, "only": None})
        node = self.levels[level]
        node["rows"].append(row)
        node["count"] += count
        node["bytes"] += size
        node["key"] = key
        full = len(node["rows"]) == (LEAF_ENTRIES_MAX if level == 0 else CHILDREN_MAX)
        if full or ends_node(trailing_zero_bits(key), level):
            self._finish(level)

    def _finish(self, level):
        node = self.levels[level]
        rows = "[" + ",".join(node["rows"]) + "]"
        text = '{"e":%s,"t":"leaf"}' % rows if level == 0 else '{"e":%s,"l":%d,"t":"node"}' % (rows, level)
        made = (sha256(text.encode("utf-8")), node["count"], node["bytes"], node["key"])
        node.update(rows=[], count=0, bytes=0)
        node["done"] += 1
        if node["done"] == 1:
            node["only"] = made  # the root, if nothing follows
            return
        if node["done"] == 2:
            self._raise(level, node["only"])
        self._raise(level, made)

    def _raise(self, level, made):
        digest, count, size, key = made
        row = "[%s,%s,%d,%d]" % (canonical_text(key.decode("utf-8")), canonical_text(digest), count, size)
        self._add(level + 1, row, key, count, size)

    def summary(self):
        """The root's hash (None when the tree is empty), the number of entries and the sum of their sizes."""
        level = 0
        while level < len(self.levels):
            node = self.levels[level]
            if node["rows"]:
                self._finish(level)
            if node["done"] == 1:
                return node["only"][:3]
            level += 1
        return None, 0, 0


def expect_tree(what, built, named):
    root, count, size = members_of(named, ["root", "count", "bytes"], what)
    if built[1:] != (count, size):
        raise Refused(f"{what}: there are {built[1]} of {built[2]} bytes together, the digest says {count} of {size}.")
    if built[0] != root:
        raise Refused(f"{what} are not those that the digest names: something was changed, left out or added.")


# ---- Documents and digests ------------------------------------------------------------------------------------------


def digest_hash(digest):
    view, colon, rest = digest.rpartition(":")
    if (colon and view not in ("public", "private")) or len(rest) != 64 or set(rest) - set("0123456789abcdef"):
        raise Refused(f"{digest!r} is no digest: public: or private: and 64 lowercase hexadecimal digits.")
    return rest


def same_digest(asked, named):
    """Two digests are the same when their hashes are and neither says another view than the other."""
    views = {digest.partition(":")[0] for digest in (asked, named) if ":" in digest}
    return digest_hash(asked) == digest_hash(named) and len(views) < 2


def expect_document(text, digest):
    if sha256(text.encode("utf-8")) != digest_hash(digest):
        raise Refused("The document does not have the digest.")


# ---- Exports --------------------------------------------------------------------------------------------------------


class Unpacked:
    """The bytes of a gzip file, decompressed as they are asked for."""

    def __init__(self, file):
        self.file = file
        header = file.read(10)
        # As the registry writes it: deflate, no name, no time. Nothing else of the header would be checked by anything.
        if header[:9] != b"\x1f\x8b\x08\0\0\0\0\0\0" or header[9] not in (3, 7, 10, 11, 19):
            raise Refused("The file is no gzip archive as a registry sends it.")
        self.inflate = zlib.decompressobj(-15)
        self.ready, self.at = b"", 0
        self.crc, self.length = 0, 0

    def read(self, size):
        parts = []
        while size > 0:
            if self.at == len(self.ready) and not self._more():
                break
            part = self.ready[self.at : self.at + size]
            self.at += len(part)
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    def exactly(self, size):
        data = self.read(size)
        if len(data) != size:
            raise Refused("The archive ends too soon.")
        return data

    def _more(self):
        while not self.inflate.eof:
            compressed = self.inflate.unconsumed_tail or self.file.read(CHUNK)
            if not compressed:
                raise Refused("The archive ends too soon.")
            try:
                self.ready, self.at = self.inflate.decompress(compressed, CHUNK), 0
            except zlib.error:
                raise Refused("The archive is damaged: it cannot be decompressed.")
            self.crc = zlib.crc32(self.ready, self.crc)
            self.length += len(self.ready)
            if self.ready:
                return True
        return False

    def finish(self):
        trailer = self.inflate.unused_data + self.file.read()
        expected = self.crc.to_bytes(4, "little") + (self.length % (1 << 32)).to_bytes(4, "little")
        if trailer != expected:
            raise Refused("The archive is damaged: its checksum is another, or something follows its end.")


def tar_number(field):
    if field[0] & 0x80:  # larger than 8 GiB: binary
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    try:
        return int(field.rstrip(b"\0 ") or b"0", 8)
    except ValueError:
        raise Refused("The archive is damaged: a number in a header is none.")


def pax_members(data):
    members = {}
    while data:
        length, _, _ = data.partition(b" ")
        if not length.isdigit() or not 0 < int(length) <= len(data):
            raise Refused("The archive is damaged: an extended header cannot be read.")
        name, _, value = data[len(length) + 1 : int(length) - 1].partition(b"=")
        members[name.decode("utf-8", "replace")] = value
        data = data[int(length) :]
    return members


class Content:
    """What an entry of the archive holds."""

    def __init__(self, source, size):
        self.source, self.size, self.left = source, size, size

    def chunks(self):
        while self.left > 0:
            chunk = self.source.exactly(min(CHUNK, self.left))
            self.left -= len(chunk)
            yield chunk
        self.source.exactly(-self.size % BLOCK)

    def whole(self):
        if self.size > TEXT_MAX:
            raise Refused("The archive has a text that exceeds the maximum size.")
        return b"".join(self.chunks())

    def lines(self, name):
        rest = b""
        for chunk in self.chunks():
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            if len(rest) > TEXT_MAX:
                raise Refused(f"{name} has a line that is longer than any of a registry.")
            yield from lines
        if rest:
            raise Refused(f"{name} does not end with a newline.")


def tar_entries(source):
    """The files of a tar archive in their order: (name, Content). Each must be read before the next is asked for."""
    extended = {}
    while True:
        header = source.exactly(BLOCK)
        if header == bytes(BLOCK):
            break
        if sum(header[:148]) + sum(header[156:]) + 8 * 32 != tar_number(header[148:156]):
            raise Refused("The archive is damaged: the checksum of a header is another.")
        content = Content(source, int(extended.get("size", tar_number(header[124:136]))))
        kind = header[156:157]
        if kind == b"x":
            extended = pax_members(content.whole())
            continue
        if kind not in (b"0", b"\0"):
            raise Refused("The archive holds something that is no file.")
        prefix, short = header[345:500].rstrip(b"\0"), header[:100].rstrip(b"\0")
        name = extended.get("path", prefix + b"/" + short if prefix else short)
        extended = {}
        yield name.decode("utf-8", "replace"), content
    while True:
        rest = source.read(CHUNK)
        if not rest:
            break
        if rest.strip(b"\0"):
            raise Refused("Something follows the end of the archive.")


def record_tree(type_name, name, content):
    """The tree of a file of records. Each line is a record's canonical form, so its bytes are what is hashed."""
    tree = Tree()
    for number, line in enumerate(content.lines(name), 1):
        record = parse(line, f"{name}, line {number}")
        if not isinstance(record, dict) or list(record) != ["id", "type", "data"] or record["type"] != type_name:
            raise Refused(f"{name}, line {number} is no record of this type in canonical form.")
        key = record["id"]
        if not isinstance(key, str):
            raise Refused(f"{name}, line {number} has no id.")
        tree.add(key.encode("utf-8"), [key, sha256(line), len(line)], len(line))
    return tree


def expect_version(asked, name, semver, what):
    """`asked`: v1.0.0 or owner/slug@v1.0.0. `name`: None if the file does not say it."""
    if asked is None:
        return
    path, _, number = asked.rpartition("@")
    if number.lstrip("v") != str(semver).lstrip("v") or (path and name is not None and path != name):
        raise Refused(f"{what} is about {semver}{' of ' + str(name) if name else ''}, not about {asked}.")


def verify_export(path, digest, version=None):
    records, schemas, files, manifest = {}, {}, Tree(), None
    with open(path, "rb") as file:
        source = Unpacked(file)
        for name, content in tar_entries(source):
            folder, _, rest = name.partition("/")
            if manifest is not None:
                raise Refused(f"{name} follows manifest.json, which must be the last file.")
            if name == "manifest.json":
                manifest = parse_canonical(content.whole(), name)
            elif folder == "records" and rest.endswith(".ndjson") and rest[:-7] not in records:
                records[rest[:-7]] = record_tree(rest[:-7], name, content)
            elif folder == "schemas" and rest.endswith(".json") and rest[:-5] not in schemas:
                schemas[rest[:-5]] = sha256(content.whole())
            elif folder == "files":
                hashed = hashlib.sha256()
                for chunk in content.chunks():
                    hashed.update(chunk)
                if hashed.hexdigest() != rest:
                    raise Refused(f"{name} holds other bytes than its name says.")
                files.add(rest.encode("ascii"), [rest, content.size], content.size)
            else:
                raise Refused(f"{name} does not belong into an export, or comes twice.")
        source.finish()
    if not isinstance(manifest, dict) or not isinstance(manifest.get("hash"), str):
        raise Refused("The archive has no manifest.json that names a digest.")
    named = manifest["hash"]
    if digest is not None and not same_digest(digest, named):
        raise Refused(f"The archive is of {named}, not of {digest}.")
    expect_version(version, None, manifest.get("semver"), "The archive")
    document = manifest.get("document")
    expect_document(canonical(document), named)
    file_tree, _, types = members_of(document, ["files", "metadata", "types"], "The document")
    if not isinstance(types, dict) or set(types) != set(records) or set(types) != set(schemas):
        raise Refused("The archive does not hold the records and the schema of exactly the types that the digest names.")
    for type_name, entry in types.items():
        schema, root, count, size = members_of(entry, ["schema", "root", "count", "bytes"], f"The type {type_name}")
        if schemas[type_name] != schema:
            raise Refused(f"schemas/{type_name}.json is another schema than the digest names.")
        expect_tree(f"The records of {type_name}", records[type_name].summary(), {"root": root, "count": count, "bytes": size})
    expect_tree("The files", files.summary(), file_tree)
    total = sum(entry["count"] for entry in types.values())
    return f"{counted(total, 'record')} of {counted(len(types), 'type')} and {counted(file_tree['count'], 'file')} are exactly those of {named}."


# ---- Proofs ---------------------------------------------------------------------------------------------------------


def rows_of(node, what, width):
    rows = node.get("e")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise Refused(f"{what} has another form.")
    return rows


def verify_proof(path, digest, asked=None):
    with open(path, "rb") as file:
        record = parse(file.read(), path)
    if not isinstance(record, dict) or not isinstance(record.get("proof"), dict):
        raise Refused("The file has no member `proof`: read the record with `?proof=true`.")
    text, nodes, document_text = members_of(record["proof"], ["canonical", "nodes", "document"], "The proof")
    if not isinstance(text, str) or not isinstance(document_text, str) or not isinstance(nodes, list) or not nodes:
        raise Refused("The proof must have the texts `canonical` and `document`, and a list of `nodes`.")
    key, type_name = record.get("id"), record.get("type")
    if asked is not None and asked != f"{type_name}/{key}":
        raise Refused(f"The proof is of {type_name}/{key}, not of {asked}.")
    parts = ",".join('"%s":%s' % (name, canonical(record.get(name))) for name in ("id", "type", "data"))
    if "{" + parts + "}" != text:
        raise Refused("The record's id, type or data are not those that the proof is of.")
    encoded = text.encode("utf-8")
    row = [key, sha256(encoded), len(encoded)]
    if record.get("hash") != row[1]:
        raise Refused("The record has another hash than it says.")
    below = None
    for level, node_text in enumerate(nodes):
        what = f"Node {level} of the proof"
        if not isinstance(node_text, str):
            raise Refused(f"{what} is no text.")
        node = parse_canonical(node_text, what)
        if level == 0:
            if not isinstance(node, dict) or set(node) != {"e", "t"} or node["t"] != "leaf":
                raise Refused(f"{what} is no leaf.")
            rows = rows_of(node, what, 3)
            if row not in rows:
                raise Refused("The leaf does not hold the record.")
            count, size = len(rows), sum(entry[2] for entry in rows)
        else:
            if not isinstance(node, dict) or set(node) != {"e", "l", "t"} or (node["l"], node["t"]) != (level, "node"):
                raise Refused(f"{what} is no node of level {level}.")
            rows = rows_of(node, what, 4)
            if below not in rows:
                raise Refused(f"{what} is not the parent of the node before it.")
            count, size = sum(entry[2] for entry in rows), sum(entry[3] for entry in rows)
        below = [rows[-1][0], sha256(node_text.encode("utf-8")), count, size]
    found = sha256(document_text.encode("utf-8"))
    if digest is not None:
        expect_document(document_text, digest)
    document = parse_canonical(document_text, "The document")
    _, _, types = members_of(document, ["files", "metadata", "types"], "The document")
    if not isinstance(types, dict) or type_name not in types:
        raise Refused("The document does not name the record's type.")
    _, root, count, size = members_of(types[type_name], ["schema", "root", "count", "bytes"], f"The type {type_name}")
    if [root, count, size] != below[1:]:
        raise Refused("The last node is not the root of the type's records.")
    return f"The record {type_name}/{key} belongs to the version whose digest is {found if digest is None else digest}."


# ---- Ed25519 (RFC 8032) ---------------------------------------------------------------------------------------------

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE_D = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
ROOT_OF_MINUS_1 = pow(2, (PRIME - 1) // 4, PRIME)
NEUTRAL = (0, 1, 1, 0)


def point_add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % PRIME, (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c, d = 2 * p[3] * q[3] * CURVE_D % PRIME, 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def point_multiply(number, point):
    product = NEUTRAL
    while number:
        if number & 1:
            product = point_add(product, point)
        point = point_add(point, point)
        number >>= 1
    return product


def same_point(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % PRIME == 0 and (p[1] * q[2] - q[1] * p[2]) % PRIME == 0


def point_of(data):
    """A point from its 32 bytes; None if they are none."""
    y = int.from_bytes(data, "little")
    is_odd, y = y >> 255, y & (1 << 255) - 1
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE_D * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT_OF_MINUS_1 % PRIME
    if (x * x - square) % PRIME or (x == 0 and is_odd):
        return None
    x = PRIME - x if x & 1 != is_odd else x
    return x, y, 1, x * y % PRIME


BASE = point_of((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))


def is_signed(key, message, signature):
    point, r = point_of(key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= ORDER or same_point(point_multiply(8, point), NEUTRAL):
        return False
    digest = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return same_point(point_multiply(s, BASE), point_add(r, point_multiply(digest, point)))


# ---- The signed log (C2SP signed-note, tlog-checkpoint, tlog-tiles, tlog-proof, tlog-cosignature) --------------------


def from_base64(text, size, what):
    """Bytes of canonical base64. `size`: None for any."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, AttributeError):
        data = None
    if data is None or base64.b64encode(data).decode() != text or size not in (None, len(data)):
        raise Refused(f"{what} is malformed.")
    return data


def number_of(text, what):
    if not isinstance(text, str) or not re.fullmatch("0|[1-9][0-9]{0,15}", text):
        raise Refused(f"{what} is malformed.")
    return int(text)


def key_of(vkey, kind):
    """A public key as name+id+key: (name, id, kind, key). `kind`: 1 of a log, 4 of a witness."""
    name, _, rest = vkey.partition("+")
    ident, _, encoded = rest.partition("+")
    data = from_base64(encoded, 33, f"The key {vkey!r}")
    expected = hashlib.sha256(name.encode("utf-8") + b"\n" + data).digest()[:4]
    if data[0] != kind or ident != expected.hex() or not re.fullmatch(r"[^\s+]+", name):
        raise Refused(f"{vkey!r} is no key of a {'log' if kind == 1 else 'witness'} as name+id+key.")
    return name, expected, kind, data[1:]


def open_note(note, keys):
    """The lines of a checkpoint and the keys that signed it, of those that are known: {key: time or None}."""
    text, gap, lines = note.rpartition("\n\n")
    if not gap or not lines.endswith("\n") or re.search(r"[\x00-\x09\x0b-\x1f]", note):
        raise Refused("The checkpoint is malformed.")
    signed, text = {}, text + "\n"
    for line in lines[:-1].split("\n"):
        found = re.fullmatch("\u2014 ([^ ]+) ([^ ]+)", line)
        data = from_base64(found.group(2), None, "A signature") if found else b""
        if len(data) < 5:
            raise Refused("The checkpoint is malformed.")
        for key in keys:
            if (key[0], key[1]) != (found.group(1), data[:4]) or key in signed:
                continue
            time = int.from_bytes(data[4:12], "big") if key[2] == 4 else None
            head = f"cosignature/v1\ntime {time}\n" if key[2] == 4 else ""
            if len(data) != (76 if head else 68) or not is_signed(key[3], (head + text).encode("utf-8"), data[-64:]):
                raise Refused(f"The signature of {key[0]} is wrong.")
            signed[key] = time
    return text, signed


def checkpoint_of(note, logs, witnesses):
    """(origin, size, root, signatures). Refuses it unless a key of the log and all witnesses have signed."""
    text, signed = open_note(note, logs + witnesses)
    lines = text.split("\n")
    if len(lines) < 4 or "" in lines[:-1]:
        raise Refused("The checkpoint is malformed.")
    if not any(key in signed and key[0] == lines[0] for key in logs):
        raise Refused("No key of the log that you trust has signed its checkpoint.")
    for witness in witnesses:
        if witness not in signed:
            raise Refused(f"The witness {witness[0]} has not signed the checkpoint.")
    return lines[0], number_of(lines[1], "The checkpoint"), from_base64(lines[2], 32, "The checkpoint"), signed


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_by_inclusion(index, size, leaf_hash, path):
    """RFC 9162, section 2.1.3.2."""
    at, last, found = index, size - 1, leaf_hash
    for sibling in path:
        if at & 1 or at == last:
            found = node_hash(sibling, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        if last == 0:
            raise Refused("The proof of inclusion is too long.")
        at, last = at >> 1, last >> 1
    if index >= size or last != 0:
        raise Refused("The proof of inclusion does not fit the size of the log.")
    return found


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The tiles are read where the user says, and nowhere else."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def fetch_tile(url, level, index, width):
    digits = f"{index:0{-(-len(str(index)) // 3) * 3}d}"
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join(["x" + group for group in groups[:-1]] + groups[-1:])
    with OPENER.open(f"{url}/log/tile/{level}/{path}{'' if width == 256 else f'.p/{width}'}", timeout=60) as answer:
        data = answer.read(width * 32 + 1)
    if len(data) != width * 32:
        raise Refused("A tile of the log has another length.")
    return data


def subtree(url, size, level, index, tiles):
    """The hash of the complete subtree of 2^level leaves that begins at leaf index * 2^level, from the tiles of a log of this size."""
    tile_level, first, count = level // 8, index << level % 8, 1 << level % 8
    place = (tile_level, first // 256)
    if place not in tiles:
        tiles[place] = fetch_tile(url, *place, min(256, (size >> 8 * tile_level) - place[1] * 256))
    at = first % 256
    row = [tiles[place][32 * n : 32 * n + 32] for n in range(at, at + count)]
    while len(row) > 1:
        row = [node_hash(row[n], row[n + 1]) for n in range(0, len(row), 2)]
    return row[0]


def complete_subtrees(size):
    """Those of the first `size` leaves, from left to right: (level, index)."""
    places, start = [], 0
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            places.append((level, start >> level))
            start += 1 << level
    return places


def expect_continues(before, after, url):
    """The roots of both sizes are computed from the same hashes, so that the newer log begins with all that the older one had."""
    if before[0] != after[0]:
        raise Refused(f"The log is {after[0]}, and was {before[0]} before.")
    if after[1] < before[1]:
        raise Refused(f"The log has {after[1]} entries, and had {before[1]} before.")
    tiles, known = {}, {}

    def hash_at(level, index):
        """Of a subtree of the newer log; the older one's are joined where they make up a larger one, so that both roots have the same leaves."""
        if (level, index) in known:
            return known[level, index]
        if index << level < before[1] < index + 1 << level:
            return node_hash(hash_at(level - 1, 2 * index), hash_at(level - 1, 2 * index + 1))
        return known.setdefault((level, index), subtree(url, after[1], level, index, tiles))

    for size, root in ((before[1], before[2]), (after[1], after[2])):
        hashes = [hash_at(*place) for place in complete_subtrees(size)]
        found = hashes.pop() if hashes else hashlib.sha256(b"").digest()
        while hashes:
            found = node_hash(hashes.pop(), found)
        if found != root:
            raise Refused(f"The log, with {after[1]} entries, does not continue the one of before, with {before[1]}: its readers get different histories.")


def slot_of(collection, seq, after, end, key):
    """The first slot follows from the id, others from keys that lead to the end of their chain. `after`: the statement that begins the chain."""
    if end is None:
        return hashlib.sha256(f"ulmus slot\n{collection}\n".encode("utf-8")).digest()
    own = found = from_base64(key, 32, "The key of a slot")
    for _ in range(seq - after):
        found = hashlib.sha256(found).digest()
    if found != end:
        raise Refused("The key of a slot does not lead to the end of its chain.")
    return hashlib.sha256(b"ulmus slot\n" + own).digest()


def expect_logged(collection, leaves, size, root):
    """Of all leaves but the last, each begins the chain of keys that the next one is in."""
    after, last, end = 0, 1, None
    for at, leaf in enumerate(leaves):
        is_link = at < len(leaves) - 1
        seq = leaf.get("seq", last)
        if not after < seq <= last or (leaf.get("chain") is None) == (seq == last) or (is_link and seq != last):
            raise Refused("A statement is not in its chain of keys.")
        slot, committed = slot_of(collection, seq, after, end, leaf.get("key")), from_base64(leaf.get("commitment"), 32, "A commitment")
        if seq == last:
            end = from_base64(leaf["chain"], 32, "The end of a chain")
            after, last, committed = last, last + min(1024, 16 * (last - after)), hashlib.sha256(end + committed).digest()
        path = [from_base64(sibling, 32, "The proof") for sibling in leaf["path"]]
        if root_by_inclusion(leaf["index"], size, hashlib.sha256(b"\0" + slot + committed).digest(), path) != root:
            raise Refused("The statement about the version is not in the log.")


STATEMENT = ["at", "collection", "full", "kind", "name", "prev", "public", "semver", "seq"]


def verify_log(path, digest, vkeys, witnesses=(), old=None, url=None, version=None):
    logs, others = [key_of(vkey, 1) for vkey in vkeys], [key_of(vkey, 4) for vkey in witnesses]
    with open(path, "rb") as file:
        answer = parse(file.read(), path)
    names = ("statement", "salt", "proof")
    if not isinstance(answer, dict) or not all(isinstance(answer.get(name), str) for name in names):
        raise Refused("The file needs the texts `statement`, `salt` and `proof`, as `GET .../versions/V/log` sends them.")
    links = answer.get("links")
    if not isinstance(links, list) or not all(isinstance(link, dict) and type(link.get("index")) is int and link["index"] >= 0 and isinstance(link.get("path"), list) for link in links):
        raise Refused("The file needs the list `links`, with `index` and `path` of each.")
    text, salt, proof = (answer[name] for name in names)
    head, gap, note = proof.partition("\n\n")
    lines = head.split("\n")
    if not gap or lines[0] != "c2sp.org/tlog-proof@v1" or not lines[1:] or not lines[1].startswith("index "):
        raise Refused("The proof is malformed.")
    index = number_of(lines[1][6:], "The proof")
    checkpoint = origin, size, root, signed = checkpoint_of(note, logs, others)
    statement = parse_canonical(text, "The statement")
    members_of(statement, STATEMENT, "The statement")
    seq = statement["seq"]
    if type(seq) is not int or seq < 1:
        raise Refused("The number of the statement is malformed.")
    salted = hashlib.sha256(from_base64(salt, 32, "The salt") + text.encode("utf-8")).digest()
    own = {"index": index, "seq": seq, "key": answer.get("key"), "chain": answer.get("chain"), "path": lines[2:], "commitment": base64.b64encode(salted).decode()}
    links = [{name: link.get(name) for name in ("index", "key", "chain", "commitment", "path")} for link in links]
    expect_logged(statement["collection"], links + [own], size, root)
    if statement["kind"] != "version":
        raise Refused("The statement is not about the making of a version.")
    expect_version(version, statement["name"], statement["semver"], "The statement")
    view, _, digits = digest.rpartition(":")
    stated = [statement["public"]] if view != "private" else []
    if view == "private" and "fullSalt" not in answer:
        raise Refused("The file has no member `fullSalt`, which only members get: a private digest cannot be checked without it.")
    if "fullSalt" in answer and view != "public":
        full_salt = from_base64(answer["fullSalt"], 32, "The salt of the private digest")
        stated.append(digits if hashlib.sha256(full_salt + bytes.fromhex(digest_hash(digest))).hexdigest() == statement["full"] else None)
    if digits not in stated:
        raise Refused(f"The log says that {statement['semver']} of {statement['name']} has another digest than {digest}.")
    if old is not None:
        with open(old, encoding="utf-8", newline="") as file:
            expect_continues(checkpoint_of(file.read(), logs, []), checkpoint, url.rstrip("/"))
    by = ", ".join(sorted(key[0] for key in signed))
    return f"{statement['semver']} of {statement['name']} is entry {index} of the log {origin} with {size} entries, since {statement['at']}. Signed by {by}."


def harmless(text):
    """Names in files are foreign text: a terminal would obey control characters in them."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def main():
    parser = argparse.ArgumentParser(description="Checks what an Ulmus registry gave out, without trusting it.")
    parser.add_argument("what", choices=["export", "proof", "log"])
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--digest", metavar="D", help="the digest that you know the version by")
    parser.add_argument("--vkey", metavar="KEY", action="append", default=[], help="log: a key of the log that you trust")
    parser.add_argument("--witness", metavar="KEY", action="append", default=[], help="log: the key of a witness that must have signed")
    parser.add_argument("--version", metavar="V", help="log and export: the version that you asked for, as v1.0.0 or owner/slug@v1.0.0")
    parser.add_argument("--record", metavar="TYPE/ID", help="proof: the record that you asked for")
    parser.add_argument("--checkpoint", metavar="OLD", help="log: a checkpoint of an earlier visit")
    parser.add_argument("--url", help="log: the registry, to read the log since OLD")
    asked = parser.parse_args()
    is_log = asked.what == "log"
    if is_log != bool(asked.vkey) or (asked.checkpoint is None) != (asked.url is None) or is_log > (asked.digest is not None):
        parser.error("log needs --vkey and --digest, and --checkpoint needs --url; export and proof take --digest only")
    if (asked.version is not None and asked.what == "proof") or (asked.record is not None and asked.what != "proof"):
        parser.error("--version is for log and export, --record for proof")
    verify = {"export": verify_export, "proof": verify_proof, "log": verify_log}[asked.what]
    options = (asked.vkey, asked.witness, asked.checkpoint, asked.url, asked.version) if is_log else (asked.version or asked.record,)
    try:
        if asked.digest is not None:
            digest_hash(asked.digest)
        print("Verified. " + harmless(verify(asked.file, asked.digest, *options)))
        if asked.digest is None:
            print("It is what it says it is. Whether that is the version you mean, its digest says: compare it with one that you trust, or give it with --digest.")
    except (Refused, OSError, RecursionError) as error:
        print(f"Not verified. {harmless(str(error))}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
