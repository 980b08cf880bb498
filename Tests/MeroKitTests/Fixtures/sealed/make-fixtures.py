#!/usr/bin/env python3
"""Makes dcap-faults.json and node-release.json.

The former has quotes and collateral under a made-up root, one fault each, the latter a release of the image
that the quote without a fault is of, signed under made-up roots of Sigstore's, and others that are signed as well: of an
older and a newer version, and of the same version with other measurements. Needs the package `cryptography`.

Quotes are in base64. A case has what differs from the one without a fault, which stands at the top.

A writer of its own on purpose: what reads them shares no code with it.
"""
import base64
import datetime as dt
import hashlib
import json
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.timezone.utc)
DAY = dt.timedelta(days=1)
SGX = "1.2.840.113741.1.13.1"


def key(curve=ec.SECP256R1()):
    return ec.generate_private_key(curve)


def raw(private, message):
    r, s = utils.decode_dss_signature(private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def point(private):
    return private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)[1:]


def name(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)] if text else [])


def der(tag, content):
    n = len(content)
    length = bytes([n]) if n < 128 else bytes([0x81, n]) if n < 256 else b"\x82" + n.to_bytes(2, "big")
    return bytes([tag]) + length + content


def oid(text):
    parts = [int(p) for p in text.split(".")]
    out = b""
    for arc in [parts[0] * 40 + parts[1]] + parts[2:]:
        digits = [arc & 127]
        while arc := arc >> 7:
            digits.append(arc & 127 | 128)
        out += bytes(reversed(digits))
    return der(6, out)


def sgx_extension(f):
    def pair(tail, value):
        return der(0x30, oid(SGX + tail) + value)

    svns = b"".join(pair(f".2.{i + 1}", der(2, bytes([s]))) for i, s in enumerate(f["cpusvn"]))
    pce = der(2, f["pcesvn"].to_bytes(1 if f["pcesvn"] < 128 else 2, "big"))
    tcb = der(0x30, svns + pair(".2.17", pce) + pair(".2.18", der(4, bytes(f["cpusvn"]))))
    out = pair(".1", der(4, bytes(16))) + pair(".2", tcb) + pair(".3", der(4, bytes(2)))
    out += pair(".4", der(4, f["pck_fmspc"])) + pair(".5", der(10, b"\x01"))
    if f.get("sgx_twice"):
        out += pair(".4", der(4, f["pck_fmspc"]))
    return der(0x30, out)


def certificate(subject, issuer, public, signer, serial, ca, *, path=None, usage=None, start=NOW - 30 * DAY,
                end=NOW + 300 * DAY, extra=(), digest=hashes.SHA256()):
    b = (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(public)
         .serial_number(serial).not_valid_before(start).not_valid_after(end)
         .add_extension(x509.BasicConstraints(ca=ca, path_length=path), True))
    usage = usage or (("sign", "crl") if ca else ("digital",))
    b = b.add_extension(x509.KeyUsage(
        digital_signature="digital" in usage, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign="sign" in usage, crl_sign="crl" in usage,
        encipher_only=False, decipher_only=False), True)
    for extension, critical in extra:
        b = b.add_extension(extension, critical)
    return b.sign(signer, digest, ecdsa_deterministic=True)


def crl(issuer, signer, serials=(), start=NOW - 10 * DAY, end=NOW + 20 * DAY, critical=False):
    b = x509.CertificateRevocationListBuilder().issuer_name(name(issuer)).last_update(start).next_update(end)
    b = b.add_extension(x509.CRLNumber(7), False)
    if critical:
        b = b.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier("2.5.29.28"), b"\x30\x00"), True)
    for serial in serials:
        b = b.add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(start)
            .add_extension(x509.CRLReason(x509.ReasonFlags.key_compromise), False).build())
    return b.sign(signer, hashes.SHA256(), ecdsa_deterministic=True).public_bytes(serialization.Encoding.DER).hex()


def pem(*certificates):
    return "".join(c.public_bytes(serialization.Encoding.PEM).decode() for c in certificates)


ROOT, PLATFORM, TCB, LEAF, ATTEST, OTHER, BELOW = (key() for _ in range(7))
P384 = key(ec.SECP384R1())
ROOT_NAME, CA_NAME = "Fault Root CA", "Fault Platform CA"
anchor = certificate(ROOT_NAME, ROOT_NAME, ROOT.public_key(), ROOT, 501, True, path=1)

DEFAULTS = dict(
    version=4, key_type=2, tee=0x81, body_type=2, body_size=None, vendor="939a7233f79c4ca9940a0db3957f0607",
    svn=[3, 0] + [5] * 14, svn2=[3, 0] + [5] * 14, td_attributes="0000001000000000", service=bytes(48),
    seam=bytes(8), cpusvn=[4] * 16, pcesvn=11, pck_fmspc=bytes.fromhex("00906ed50000"), levels=None,
    info_status="UpToDate", identities=None, info_id="TDX", info_version=3, qe_id="TD_QE", qe_version=2,
    qe_levels=[dict(tcb=dict(isvsvn=4), tcbStatus="UpToDate")], qe_svn=4, qe_prod=2, qe_attributes=[0x11] + [0] * 15,
    issue=NOW - 5 * DAY, next=NOW + 5 * DAY, root_crl={}, pck_crl={}, leaf={}, ca={}, tcb={}, auth=bytes(range(32)),
    inner_type=5, outer_type=6, section_tail=b"", inner_tail=b"", tcb_chain="full", pck_chain="full",
    chain_in_collateral=False, tcb_signature=lambda s: s, padding=b"\0" * 16)


def stamp(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


def components(values):
    return [dict(svn=v) for v in values]


def build(**changes):
    f = dict(DEFAULTS, **changes)
    ca_options = dict(dict(subject=CA_NAME, issuer=ROOT_NAME, public=PLATFORM.public_key(), signer=ROOT, serial=502,
                           ca=True, path=0), **f["ca"])
    ca = certificate(**ca_options)
    sgx = [] if f.get("no_sgx") else [
        (x509.UnrecognizedExtension(x509.ObjectIdentifier(SGX), sgx_extension(f)), False)]
    leaf_options = dict(dict(subject="Fault PCK", issuer=CA_NAME, public=LEAF.public_key(), signer=PLATFORM,
                             serial=503, ca=False, extra=sgx), **f["leaf"])
    leaf_options["extra"] = list(leaf_options["extra"]) + list(f.get("leaf_extra", ()))
    leaf = certificate(**leaf_options)
    tcb_options = dict(dict(subject="Fault TCB Signing", issuer=ROOT_NAME, public=TCB.public_key(), signer=ROOT,
                            serial=504, ca=False), **f["tcb"])
    tcb = certificate(**tcb_options)
    below = certificate("Below", CA_NAME, BELOW.public_key(), PLATFORM, 505, True)
    fake = certificate(ROOT_NAME, ROOT_NAME, OTHER.public_key(), OTHER, 501, True, path=1)
    chains = dict(full=pem(leaf, ca, anchor), rootless=pem(leaf, ca), leaf=pem(leaf), fake=pem(leaf, ca, fake),
                  twice=pem(leaf, leaf, ca, anchor), reversed=pem(anchor, ca, leaf), nine=pem(*[leaf] * 9),
                  below=pem(leaf, below, ca, anchor), junk=pem(leaf, ca, anchor) + "junk", none="")
    tcb_chains = dict(full=pem(tcb, anchor), leaf=pem(tcb), fake=pem(tcb, fake), rootless=pem(tcb))

    levels = f["levels"] or [
        dict(tcb=dict(sgxtcbcomponents=components([4] * 16), pcesvn=11, tdxtcbcomponents=components([3, 0] + [5] * 14)),
             tcbDate="2026-01-01T00:00:00Z", tcbStatus=f["info_status"], advisoryIDs=f.get("advisories", []))]
    info = dict(id=f["info_id"], version=f["info_version"], issueDate=stamp(f["issue"]), nextUpdate=stamp(f["next"]),
                fmspc="00906ED50000", pceId="0000", tcbType=0, tcbEvaluationDataNumber=1,
                tdxModule=dict(mrsigner="00" * 48, attributes="00" * 8, attributesMask="FF" * 8), tcbLevels=levels)
    if f["identities"] is not None:
        info["tdxModuleIdentities"] = f["identities"]
    info.update(f.get("info", {}))
    qe = dict(id=f["qe_id"], version=f["qe_version"], issueDate=stamp(f["issue"]), nextUpdate=stamp(f["next"]),
              miscselect="00000000", miscselectMask="FFFFFFFF", attributes="11" + "00" * 15,
              attributesMask="FBFFFFFFFFFFFFFF0000000000000000", mrsigner="AB" * 32, isvprodid=2,
              tcbLevels=f["qe_levels"])
    qe.update(f.get("qe", {}))
    info_text, qe_text = (json.dumps(x, separators=(",", ":")) for x in (info, qe))

    report = bytes(f["svn"]) + bytes(48) + bytes(48) + f["seam"] + bytes.fromhex(f["td_attributes"]) + bytes(8)
    report += b"".join(bytes([i]) * 48 for i in range(1, 9)) + bytes(range(64))
    if f["body_type"] == 3:
        report += bytes(f["svn2"]) + f["service"]
    header = struct.pack("<HHIHH", f["version"], f["key_type"], f["tee"], 0, 0)
    header += bytes.fromhex(f["vendor"]) + bytes(20)
    if f["version"] == 5:
        header += struct.pack("<HI", f["body_type"], len(report) if f["body_size"] is None else f["body_size"])
    signed = header + report
    qe_report = bytearray(384)
    qe_report[48:64] = bytes(f["qe_attributes"])
    qe_report[128:160] = b"\xab" * 32
    qe_report[256:260] = struct.pack("<HH", f["qe_prod"], f["qe_svn"])
    qe_report[320:352] = hashlib.sha256(point(ATTEST) + f["auth"]).digest()
    inner = chains[f["pck_chain"]].encode() + f.get("chain_end", b"\0")
    certification = bytes(qe_report) + raw(f.get("qe_signer", LEAF), bytes(qe_report))
    certification += struct.pack("<H", len(f["auth"])) + f["auth"]
    certification += struct.pack("<HI", f["inner_type"], len(inner)) + inner + f["inner_tail"]
    section = raw(f.get("quote_signer", ATTEST), signed) + point(ATTEST)
    section += struct.pack("<HI", f["outer_type"], len(certification)) + certification + f["section_tail"]
    quote = signed + struct.pack("<I", len(section)) + section + f["padding"]
    collateral = dict(
        pck_crl_issuer_chain=pem(ca, anchor),
        root_ca_crl=crl(**dict(dict(issuer=ROOT_NAME, signer=ROOT), **f["root_crl"])),
        pck_crl=crl(**dict(dict(issuer=CA_NAME, signer=PLATFORM), **f["pck_crl"])),
        tcb_info_issuer_chain=tcb_chains[f["tcb_chain"]], tcb_info=info_text,
        tcb_info_signature=f["tcb_signature"](raw(TCB, info_text.encode()).hex()),
        qe_identity_issuer_chain=pem(tcb, anchor), qe_identity=qe_text,
        qe_identity_signature=raw(TCB, qe_text.encode()).hex())
    if f["chain_in_collateral"]:
        collateral["pck_certificate_chain"] = chains["full"]
    collateral.update(f.get("collateral", {}))
    for field in f.get("without", ()):
        del collateral[field]
    return base64.b64encode(quote).decode(), collateral


BASE = build()
cases = []


def case(title, expect, **changes):
    quote, collateral = build(**changes)
    # What is as in the case without a fault is left out; null is what is missing altogether.
    entry = dict(name=title, expect=expect, collateral={
        field: collateral.get(field) for field in {**BASE[1], **collateral} if collateral.get(field) != BASE[1].get(field)})
    if quote != BASE[0]:
        entry["quote"] = quote
    cases.append(entry)


def ok(title, status="UpToDate", found=(), **changes):
    case(title, dict(status=status, advisoryIds=list(found)), **changes)


def bad(title, kind, reason, **changes):
    case(title, dict(kind=kind, reason=reason), **changes)


unknown = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00")
identity = dict(id="TDX_01", mrsigner="00" * 48, attributes="00" * 8, attributesMask="FF" * 8, tcbLevels=[
    dict(tcb=dict(isvsvn=4), tcbStatus="UpToDate"),
    dict(tcb=dict(isvsvn=2), tcbStatus="OutOfDate", advisoryIDs=["M"])])
STATUSES = ["UpToDate", "SWHardeningNeeded", "ConfigurationNeeded", "ConfigurationAndSWHardeningNeeded", "OutOfDate",
            "OutOfDateConfigurationNeeded", "Revoked"]
MERGED = ["OutOfDate", "OutOfDate", "OutOfDateConfigurationNeeded", "OutOfDateConfigurationNeeded", "OutOfDate",
          "OutOfDateConfigurationNeeded"]

ok("all well")
ok("version 5", version=5)
ok("version 5 with a report of 1.5", version=5, body_type=3)
ok("the root is not part of the chain", pck_chain="rootless")
ok("the chain in the collateral counts", pck_chain="none", chain_in_collateral=True)
ok("others are revoked", pck_crl=dict(serials=[900, 901]), root_crl=dict(serials=[902]))
ok("no NUL and no padding", chain_end=b"", padding=b"")
ok("an unknown extension that is not critical", leaf_extra=[(unknown, False)])
for status, merged in zip(STATUSES[:6], MERGED):
    ok(f"platform {status}", status, ["P"], info_status=status, advisories=["P"])
    ok(f"platform {status}, enclave out of date", merged, ["P", "Q"], info_status=status, advisories=["P"],
       qe_levels=[dict(tcb=dict(isvsvn=4), tcbStatus="OutOfDate", advisoryIDs=["Q", "P"])])
    ok(f"platform {status}, module out of date", merged, ["P", "M"], info_status=status, advisories=["P"],
       svn=[2, 1] + [5] * 14, identities=[identity])
bad("platform revoked", "unverified", "revoked", info_status="Revoked")
for status in STATUSES[1:4] + STATUSES[5:]:
    bad(f"enclave {status}", "unverified", "enclave", qe_levels=[dict(tcb=dict(isvsvn=4), tcbStatus=status)])
bad("module revoked", "unverified", "module is revoked", svn=[4, 1] + [5] * 14, identities=[
    dict(identity, tcbLevels=[dict(tcb=dict(isvsvn=4), tcbStatus="Revoked")])])
bad("a status that nobody knows", "malformed", "none of Intel's", info_status="Fine")
bad("no identity for the module", "unverified", "does not know", svn=[4, 2] + [5] * 14, identities=[identity])
bad("module of another signer", "unverified", "module is signed", svn=[4, 1] + [5] * 14, identities=[
    dict(identity, mrsigner="01" * 48)])
bad("PCK revoked", "unverified", "revoked", pck_crl=dict(serials=[503]))
bad("PCK CA revoked", "unverified", "revoked", root_crl=dict(serials=[502]))
bad("TCB signer revoked", "unverified", "revoked", root_crl=dict(serials=[504]))
bad("root revoked", "unverified", "root is revoked", root_crl=dict(serials=[501]))
bad("PCK list of another issuer", "unverified", "no list", pck_crl=dict(issuer="Somebody"))
bad("root list of another issuer", "unverified", "no list", root_crl=dict(issuer="Somebody"))
bad("PCK list signed by another", "unverified", "list of revoked", pck_crl=dict(signer=OTHER))
bad("root list signed by another", "unverified", "list of revoked", root_crl=dict(signer=OTHER))
bad("PCK list expired", "notCurrent", "list", pck_crl=dict(end=NOW - DAY))
bad("root list expired", "notCurrent", "list", root_crl=dict(end=NOW - DAY))
bad("PCK list of the future", "notCurrent", "list", pck_crl=dict(start=NOW + DAY))
bad("list with a critical extension", "malformed", "critical", pck_crl=dict(critical=True))
bad("leaf with a critical extension", "unverified", "critical", leaf_extra=[(unknown, True)])
bad("PCK CA that may not sign", "unverified", "no authority", ca=dict(usage=("crl",)))
bad("PCK CA that may not sign lists", "unverified", "list of revoked", ca=dict(usage=("sign",)))
bad("PCK CA that is none", "unverified", "no authority", ca=dict(ca=False, path=None, usage=("sign", "crl")))
bad("leaf is an authority", "unverified", "leaf is an authority", leaf=dict(ca=True))
bad("PCK of another issuer", "unverified", "another than the next", leaf=dict(issuer="Somebody"))
bad("an authority too many", "unverified", "no chain this long", pck_chain="below",
    leaf=dict(issuer="Below", signer=BELOW), pck_crl=dict(issuer="Below", signer=BELOW))
bad("PCK signed by another", "unverified", "signature of a certificate", leaf=dict(signer=OTHER))
bad("PCK CA signed by another", "unverified", "signature of a certificate", ca=dict(signer=OTHER))
bad("PCK with SHA-384", "unverified", "P-256 with SHA-256", leaf=dict(digest=hashes.SHA384()))
bad("PCK on P-384", "unverified", "P-256 with SHA-256", leaf=dict(public=P384.public_key()))
bad("PCK not valid yet", "notCurrent", "not valid", leaf=dict(start=NOW + DAY))
bad("PCK expired", "notCurrent", "not valid", leaf=dict(end=NOW - DAY))
bad("PCK CA expired", "notCurrent", "not valid", ca=dict(end=NOW - DAY))
bad("TCB signer expired", "notCurrent", "not valid", tcb=dict(end=NOW - DAY))
bad("TCB signer is an authority", "unverified", "leaf is an authority", tcb=dict(ca=True))
bad("another root of the same name", "unverified", "", pck_chain="fake")
bad("another root of the same name over the TCB signer", "unverified", "", tcb_chain="fake")
bad("PCK alone", "malformed", "without the authority", pck_chain="leaf")
bad("TCB signer alone", "malformed", "without the authority", tcb_chain="leaf")
bad("PCK twice", "unverified", "another than the next", pck_chain="twice")
bad("chain upside down", "unverified", "leaf is an authority", pck_chain="reversed")
bad("nine certificates", "malformed", "too many", pck_chain="nine")
bad("text behind the chain", "malformed", "PEM", pck_chain="junk")
bad("no chain", "malformed", "PEM", pck_chain="none")
bad("PCK describes no platform", "unverified", "no platform", no_sgx=True)
bad("PCK describes its platform twice", "malformed", "twice", sgx_twice=True)
bad("FMSPC of five bytes", "malformed", "missing", pck_fmspc=bytes(5))
bad("another FMSPC", "unverified", "another kind", pck_fmspc=bytes(6))
bad("PCE too old", "unverified", "older than any", pcesvn=10)
bad("processor too old", "unverified", "older than any", cpusvn=[4] * 15 + [3])
bad("firmware too old", "unverified", "older than any", svn=[3, 0] + [5] * 13 + [4])
bad("running firmware too old", "unverified", "older than any", version=5, body_type=3, svn2=[3, 0] + [4] * 14)
bad("fifteen components", "malformed", "sgxtcbcomponents", levels=[
    dict(tcb=dict(sgxtcbcomponents=components([4] * 15), pcesvn=11, tdxtcbcomponents=components([0] * 16)),
         tcbStatus="UpToDate")])
bad("component above a byte", "malformed", "svn", levels=[
    dict(tcb=dict(sgxtcbcomponents=components([256] * 16), pcesvn=11, tdxtcbcomponents=components([0] * 16)),
         tcbStatus="UpToDate")])
bad("no module", "malformed", "tdxModule", info=dict(tdxModule=None))
bad("TCB info of version 2", "malformed", "version", info_version=2)
bad("TCB info for SGX", "refused", "not for TDX", info_id="SGX")
bad("TCB info not issued yet", "notCurrent", "future", issue=NOW + DAY)
bad("TCB info expired", "notCurrent", "expired", next=NOW - DAY)
for statement, field in (("tcb_info", "info"), ("qe_identity", "qe")):
    bad(f"{statement} alone not issued yet", "notCurrent", f"{statement} was issued in the future",
        **{field: dict(issueDate=stamp(NOW + DAY))})
    bad(f"{statement} alone expired", "notCurrent", f"{statement} has expired",
        **{field: dict(nextUpdate=stamp(NOW - DAY))})
bad("TCB info with a date of its own", "malformed", "issueDate", info=dict(issueDate="1 November"))
bad("signature of 63 bytes", "unverified", "tcb_info", tcb_signature=lambda s: s[:126])
bad("signature of 65 bytes", "malformed", "tcb_info_signature", tcb_signature=lambda s: s + "00")
bad("signature of zeros", "unverified", "tcb_info", tcb_signature=lambda s: "00" * 64)
bad("enclave of SGX", "refused", "quoting enclave of TDX", qe_id="QE")
bad("enclave identity of version 1", "malformed", "version", qe_version=1)
bad("enclave of another product", "unverified", "another product", qe_prod=1)
bad("enclave too old", "unverified", "older than any", qe_svn=3)
bad("enclave in debug mode", "unverified", "debug", qe_attributes=[0x13] + [0] * 15)
bad("enclave of another signer", "unverified", "signed by somebody else", qe=dict(mrsigner="AC" * 32))
bad("enclave report signed by another", "unverified", "did not sign for", qe_signer=OTHER)
bad("quote signed by another", "unverified", "signature of the quote", quote_signer=OTHER)
bad("no SEPT_VE_DISABLE", "refused", "SEPT_VE_DISABLE", td_attributes="00" * 8)
bad("debug", "refused", "debug", td_attributes="0100001000000000")
bad("reserved attribute 29", "refused", "reserved", td_attributes="0000003000000000")
bad("reserved attribute 62", "refused", "reserved", td_attributes="0000001000000040")
ok("PKS, KL and PERFMON", td_attributes="000000d000000080")
bad("service environment", "refused", "service", version=5, body_type=3, service=b"\1" + bytes(47))
bad("version 3", "unsupported", "version 3", version=3)
bad("version 6", "unsupported", "version 6", version=6)
bad("key of another kind", "unsupported", "type 3", key_type=3)
bad("SGX", "unsupported", "not a TDX", tee=0)
bad("vendor", "unsupported", "Intel", vendor="00" * 16)
bad("body of SGX", "unsupported", "not a TDX", version=5, body_type=1)
bad("body of type 4", "unsupported", "type 4", version=5, body_type=4)
bad("body of another length", "malformed", "as long as", version=5, body_size=648)
bad("authentication data of 31 bytes", "malformed", "32 bytes", auth=bytes(31))
bad("authentication data of 33 bytes", "malformed", "32 bytes", auth=bytes(33))
bad("certification data of type 5", "unsupported", "type", outer_type=5)
bad("chain of type 4", "unsupported", "type", inner_type=4)
bad("bytes behind the certification data", "malformed", "behind", section_tail=b"\0")
bad("bytes behind the chain", "malformed", "behind", inner_tail=b"\0")
for field in ("root_ca_crl", "pck_crl", "tcb_info", "tcb_info_signature", "tcb_info_issuer_chain", "qe_identity",
              "qe_identity_signature", "qe_identity_issuer_chain"):
    bad(f"no {field}", "malformed", field, without=[field])
    bad(f"{field} a number", "malformed", field, collateral={field: 7})
bad("bytes above 255", "malformed", "pck_crl", collateral=dict(pck_crl=[48, 256]))
bad("half bytes", "malformed", "pck_crl", collateral=dict(pck_crl=[48, 0.5]))

with open("dcap-faults.json", "w") as out:
    json.dump(dict(
        now=int(NOW.timestamp()), rootCaDer=anchor.public_bytes(serialization.Encoding.DER).hex(), quote=BASE[0],
        collateral=BASE[1], cases=cases), out, indent=0)
    out.write("\n")
print(len(cases), "cases")


def b64(data):
    return base64.b64encode(data).decode()


def release():
    fulcio, leaf_key, rekor = key(ec.SECP384R1()), key(), key()
    signer = "https://github.com/calimero-network/mero-tee/.github/workflows/release-node-image-gcp.yaml@refs/heads/master"
    issuer = "https://token.actions.githubusercontent.com"
    start, end = NOW - 400 * DAY, NOW + 400 * DAY
    root = certificate("fulcio", "fulcio", fulcio.public_key(), fulcio, 1, True, start=start, end=end,
                       digest=hashes.SHA384())
    at = NOW - 60 * DAY
    leaf = certificate(
        "", "fulcio", leaf_key.public_key(), fulcio, 2, False, start=at, end=at + dt.timedelta(minutes=10),
        digest=hashes.SHA384(), extra=[
            (x509.SubjectAlternativeName([x509.UniformResourceIdentifier(signer)]), True),
            (x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CODE_SIGNING]), False),
            (x509.UnrecognizedExtension(
                x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.8"), der(12, issuer.encode())), False)])
    registers = {n: bytes([i]).hex() * 48 for n, i in
                 (("mrtd", 1), ("rtmr0", 5), ("rtmr1", 6), ("rtmr2", 7), ("rtmr3", 8))}
    spki = rekor.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(private, message):
        return private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))

    def signed(tag, **changes):
        measured = dict(registers, **changes)
        text = json.dumps(dict(role="node", tag=tag, profiles={
            "locked-read-only": dict(measured, allowed_tcb_statuses=["uptodate"]),
            "debug": dict(measured, rtmr3="00" * 48, allowed_tcb_statuses=["uptodate"])}), indent=1)
        signature = sign(leaf_key, text.encode())
        body = b64(json.dumps(dict(apiVersion="0.0.1", kind="hashedrekord", spec=dict(
            data=dict(hash=dict(algorithm="sha256", value=hashlib.sha256(text.encode()).hexdigest())),
            signature=dict(content=b64(signature), publicKey=dict(content=b64(pem(leaf).encode())))))).encode())
        payload = dict(
            body=body, integratedTime=int(at.timestamp()) + 5, logID=hashlib.sha256(spki).hexdigest(), logIndex=7)
        canonical = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
        bundle = dict(base64Signature=b64(signature), cert=b64(pem(leaf).encode()), rekorBundle=dict(
            SignedEntryTimestamp=b64(sign(rekor, canonical)), Payload=payload))
        return dict(version=tag, publishedMrtds=text, bundle=json.dumps(bundle))

    window = dict(start=stamp(start))
    return dict(
        osImage="merotee-ubuntu-questing-25-10-locked-read-only-2-3-100", now=int(NOW.timestamp()),
        rootCaDer=anchor.public_bytes(serialization.Encoding.DER).hex(), quote=BASE[0], collateral=BASE[1],
        nonce=bytes(range(32)).hex(), suffix=bytes(range(32, 64)).hex(),
        release=signed("2.3.100"),
        others=dict(older=signed("2.3.99"), newer=signed("2.3.101"), changed=signed("2.3.100", rtmr2="17" * 48)),
        trustRoot=dict(
            fulcioAuthorities=[dict(validFor=window, certChain=[b64(root.public_bytes(serialization.Encoding.DER))])],
            rekorLogs=[dict(validFor=window, logId=hashlib.sha256(spki).hexdigest(), publicKey=b64(spki))]))


with open("node-release.json", "w") as out:
    json.dump(release(), out, indent=0)
    out.write("\n")
