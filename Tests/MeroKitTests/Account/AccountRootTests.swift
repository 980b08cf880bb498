import Foundation
import Testing

@testable import MeroKit

@Suite("Account roots")
struct AccountRootTests {
    static func vectors(_ prefixes: String...) -> [CryptoVector] {
        CryptoVector.load("accounts") { vector in prefixes.contains { vector.id.hasPrefix($0) } }
    }

    @Test("Accounts and phrases of roots", arguments: vectors("account-"))
    func accounts(vector: CryptoVector) throws {
        let secret = try vector.input.bytes("rootSecret")
        let root = try AccountRoot(secret: secret)
        let account = try vector.expected.string("account")
        #expect(root.publicKey == (try vector.expected.string("rootPublicKey")))
        #expect(root.accountId == account)
        #expect(try DeviceCertificates.account(forRootPublicKey: root.publicKey) == account)
        #expect(root.secret == secret)
        if let phrase = vector.expected["phrase"]?.text {
            #expect(root.phrase == phrase)
            #expect(try AccountRoot(phrase: phrase) == root)
        }
        if let genesis = vector.expected["genesis"]?.text {
            let key = try Hex.id(root.publicKey, "key")
            #expect(Hex.encode(AccountGenesis(rootPublicKey: key).bytes) == genesis)
        }
    }

    @Test("Reading phrases", arguments: vectors("phrase-"))
    func phrases(vector: CryptoVector) throws {
        let phrase = try vector.input.string("phrase")
        guard let expected = vector.error else {
            #expect(try AccountRoot(phrase: phrase).secret == vector.expected.bytes("rootSecret"))
            return
        }
        let error = #expect(throws: RecoveryPhraseError.self) { try AccountRoot(phrase: phrase) }
        switch error {
        case .wordCount(let count):
            #expect(expected == "wordCount")
            #expect(count == phrase.split(separator: " ").count)
        case .unknownWord(let position):
            #expect(expected == "word")
            #expect(position == 24)
        case .checksum: #expect(expected == "checksum")
        case nil: break
        }
        for word in phrase.split(separator: " ") where word.count > 4 {
            #expect(error?.localizedDescription.contains(word) != true)
        }
    }

    @Test("The word list is the canonical one")
    func wordList() {
        let words = RecoveryPhrase.list.split(whereSeparator: \.isWhitespace)
        #expect(words.count == 2048)
        #expect(
            Hex.encode(sha256(Data((words.joined(separator: "\n") + "\n").utf8)))
                == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
    }

    @Test("Every root comes back from its phrase; a wrong word is found in 255 of 256 cases")
    func roundTrip() throws {
        var missed = 0
        let words = RecoveryPhrase.list.split(whereSeparator: \.isWhitespace).map(String.init)
        for _ in 0..<100 {
            let root = AccountRoot.generate()
            #expect(try AccountRoot(phrase: root.phrase) == root)
            var changed = root.phrase.split(separator: " ").map(String.init)
            let place = Int.random(in: 0..<24)
            changed[place] = words.filter { $0 != changed[place] }.randomElement() ?? ""
            do {
                #expect(try AccountRoot(phrase: changed.joined(separator: " ")) != root)
                missed += 1
            } catch {
                #expect(error as? RecoveryPhraseError == .checksum)
            }
        }
        #expect(missed < 10)
    }

    @Test("Errors are told in order: count, then words, then checksum")
    func order() {
        func error(_ phrase: String) -> RecoveryPhraseError? {
            do { _ = try AccountRoot(phrase: phrase) } catch { return error as? RecoveryPhraseError }
            return nil
        }
        let abandon = Array(repeating: "abandon", count: 24)
        #expect(error((abandon + ["zzz"]).joined(separator: " ")) == .wordCount(25))
        #expect(error((["zzz"] + abandon.dropFirst()).joined(separator: " ")) == .unknownWord(position: 1))
        #expect(error(abandon.joined(separator: " ")) == .checksum)
    }

    @Test("Other sizes of secrets are refused")
    func sizes() {
        for count in [0, 31, 33] {
            #expect(throws: AccountError.self) { try AccountRoot(secret: Data(count: count)) }
        }
    }

    @Test("Printing a root shows its account only")
    func printing() throws {
        let root = try AccountRoot(secret: Data(repeating: 0x5c, count: 32))
        var dumped = ""
        dump([root], to: &dumped)
        for text in ["\(root)", String(reflecting: root), dumped, "\([root])"] {
            #expect(text.contains(root.accountId))
            #expect(!text.contains("5c5c") && !text.contains("92, 92") && !text.contains(root.phrase), "\(text)")
        }
    }

    @Test("Handing on a root", arguments: vectors("handoff"))
    func handoffs(vector: CryptoVector) throws {
        let root = try AccountRoot(secret: vector.input.bytes("oldRootSecret"))
        let next = try vector.input.string("newRootPublicKey")
        let epoch: UInt32 = try vector.input.integer("fromEpoch")
        let account = vector.expected["account"]?.text ?? root.accountId
        let payload = RootHandoff.payload(
            account: try Hex.id(account, "account"), fromEpoch: epoch, newRootPublicKey: try Hex.id(next, "key"))
        if let expected = vector.expected["payload"]?.text { #expect(Hex.encode(payload) == expected) }
        let handoff = try root.handOff(to: next, fromEpoch: epoch)
        try expectSameSigned(
            handoff, vector.expected.string("handoff"), key: Hex.id(root.publicKey, "key"), message: payload)
        var reader = BorshReader(try Hex.decodeUnsized(handoff, label: "handoff"))
        let read = try RootHandoff(from: &reader)
        try reader.finish()
        #expect(read.isSigned(by: try Hex.id(root.publicKey, "key")))
        #expect(!read.isSigned(by: try Hex.id(next, "key")))
    }

    @Test("A later root has to name its account")
    func laterRoot() throws {
        let root = AccountRoot.generate()
        let next = AccountRoot.generate().publicKey
        #expect(throws: AccountError.self) { try root.handOff(to: next, fromEpoch: 1) }
        #expect(try root.handOff(to: next, fromEpoch: 1, account: String(repeating: "ab", count: 32)).count == 264)
    }

    @Test("Pairing with a node", arguments: vectors("pairing"))
    func pairing(vector: CryptoVector) async throws {
        let keys = try DeviceKeys.signing(vector.input.bytes("signSecret"))
        let account = try vector.input.string("account")
        let device = try vector.input.string("device")
        let kem = try vector.input.string("kemPublicKey")
        let payload = try DevicePairing.payload(
            account: account, device: device, kemPublicKey: kem, signPublicKey: keys.signPublicKey)
        #expect(Hex.encode(payload) == (try vector.expected.string("payload")))
        let statement = try await DevicePairing.sign(
            account: account, device: device, kemPublicKey: kem, signer: OpaqueSigner(keys))
        try expectSameSigned(
            statement, vector.expected.string("statement"), key: Hex.id(keys.signPublicKey, "key"), message: payload)
        let code = try DevicePairing.confirmationCode(
            account: account, device: device, kemPublicKey: kem, signPublicKey: keys.signPublicKey)
        let expected = try vector.expected.string("confirmationCode")
        #expect(code == expected)
        #expect(DevicePairing.sameCode(code, " " + expected.lowercased().replacing("-", with: " ") + "\n"))
        #expect(!DevicePairing.sameCode(code, String(code.dropLast())))
        #expect(!DevicePairing.sameCode("", "-"))
    }
}
