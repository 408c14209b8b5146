import CaretConfig
import CaretWire
import Testing

@Suite("The list of configuration keys") struct KeyListTests {
    @Test("key names are distinct, with only lowercase letters and underscores")
    func names() {
        let names = ConfigurationKey.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(
                name.utf8.allSatisfy {
                    ("a"..."z").contains(Character(Unicode.Scalar($0))) || $0 == UInt8(ascii: "_")
                })
            let isOfFamily = ["limit_", "sign_in_"].contains { name.hasPrefix($0) }
            #expect(name.closest(in: names.filter { $0 != name }) == nil || isOfFamily, "\(name)")
        }
    }

    @Test("the keys of a group are together, in the order of the groups")
    func groups() {
        let groups = ConfigurationKey.all.map(\.group)
        #expect(groups == ConfigurationKey.Group.allCases.flatMap { group in groups.filter { $0 == group } })
    }

    @Test("`Limits.widest` has the largest allowed limits, without contradictions")
    func widest() throws {
        let limits = Limits.widest
        #expect(limits.announced.document == 64 << 20 && limits.announced.line == 1 << 30)
        #expect(limits.announced.edits == 1_000_000 && limits.announced.pushesPerSecond == nil)
        var settings = Settings()
        settings.configuredLimits = limits
        #expect(Contradiction.all(in: settings) == [])
    }

    @Test("the meaning of a key is one line that ends with a full stop")
    func meanings() {
        for key in ConfigurationKey.all {
            #expect(key.meaning.count <= 96 && key.meaning.hasSuffix("."), "\(key.name)")
        }
    }

    @Test("the default of each key is an allowed value", arguments: ConfigurationKey.all.map(\.name))
    func defaults(name: String) throws {
        let key = try #require(ConfigurationKey.named(name))
        let configuration = configured("{\(name): \(key.value(in: Settings()))}")
        #expect(configuration.sentences == [])
        #expect(configuration.settings == Settings())
    }

    @Test(
        "the smallest and largest values work in file, variable and option",
        arguments: ConfigurationKey.all.map(\.name), [0, 1])
    func sources(name: String, choice: Int) throws {
        let key = try #require(ConfigurationKey.named(name))
        let value = key.otherValue(choice)
        let items = value.hasPrefix("[") ? String(value.dropFirst().dropLast()) : value
        let text = items.isEmpty ? "none" : items.replacing("\"", with: "").replacing(", ", with: ",")
        let fromFile = configured("{\(name): \(value)}")
        let fromVariable = configured(nil, [key.variable: text])
        let fromFlag = configured(nil, [:], "\(key.flag)=\(text)")
        #expect(fromFile.settings != Settings() || value == key.value(in: Settings()))
        #expect(fromFile.settings == fromVariable.settings && fromFile.settings == fromFlag.settings)
        for configuration in [fromFile, fromVariable, fromFlag] {
            // The value may contradict the default of another key. A message about this is allowed. A message
            // with "found" would mean that the value itself was refused.
            #expect(!configuration.sentences.contains { $0.contains("found") }, "\(configuration.sentences)")
            #expect(key.value(in: configuration.settings) == value)
        }
        #expect(fromFile.origin(of: key).description == "caret.json5:1:\(name.count + 4)")
        #expect(fromVariable.origin(of: key).description == key.variable)
        #expect(fromFlag.origin(of: key).description == key.flag)
    }

    @Test(
        "a refused value is reported with its key, position and allowed values",
        arguments: ConfigurationKey.all.map(\.name))
    func outside(name: String) throws {
        let key = try #require(ConfigurationKey.named(name))
        for value in key.valuesOutside + ["{}", "null", "[[]]"] {
            let configuration = configured("{\n  \(name): \(value)}")
            // For a list, the message names the position of the refused item.
            let column = name.count + 5 + (key.isList && value.hasPrefix("[") && value != "[[]]" ? 1 : 0)
            let start = "caret.json5:2:\(column): \(name): found "
            #expect(configuration.sentences.count == 1, "\(value): \(configuration.sentences)")
            #expect(
                configuration.sentences.first?.hasPrefix(start) == true,
                "\(value): \(configuration.sentences)")
            #expect(configuration.sentences.first?.hasSuffix(", allowed is \(key.allowed)") == true)
            #expect(configuration.settings == Settings())
        }
    }

    @Test("every configurable limit has a key")
    func everyLimit() {
        var settings = Settings()
        for key in ConfigurationKey.all {
            let choice = key.otherValue(0) == key.value(in: Settings()) ? 1 : 0
            settings = set(key, key.otherValue(choice), settings)
        }
        settings.requiresTokens = true
        #expect(unchanged(settings.limits, Limits()) == [])
        #expect(unchanged(settings.limits.announced, Limits.Announced()) == [])
    }

    private func set(_ key: ConfigurationKey, _ value: String, _ settings: Settings) -> Settings {
        guard let found = try? JSON5Reader.read(Array(value.utf8)) else { return settings }
        var settings = settings
        #expect(key.assign(.file(found.kind), into: &settings), "\(key.name): \(value)")
        return settings
    }

    private func unchanged(_ left: Any, _ right: Any) -> [String] {
        let pairs = zip(Mirror(reflecting: left).children, Mirror(reflecting: right).children)
        return pairs.filter { "\($0.value)" == "\($1.value)" }.compactMap(\.0.label)
    }
}
