import CaretConfig
import Testing

@Suite("What a reload changes") struct ReloadPlanTests {
    /// Settings in which only this key has another value than the default.
    private func settings(_ key: ConfigurationKey, _ value: String) throws -> Settings {
        var settings = Settings()
        let found = try JSON5Reader.read(Array(value.utf8))
        #expect(key.assign(.file(found.kind), into: &settings))
        return settings
    }

    @Test(
        "a changed key is applied, or is reported as needing a restart",
        arguments: ConfigurationKey.all.map(\.name))
    func eachKey(name: String) throws {
        let key = try #require(ConfigurationKey.named(name))
        let choice = key.otherValue(0) == key.value(in: Settings()) ? 1 : 0
        let new = try settings(key, key.otherValue(choice))
        let change = SettingChange(key: key, from: Settings(), to: new)
        #expect(change.oldValue != change.newValue)
        let plan = ReloadPlan(from: Settings(), to: new)
        #expect(plan.changed == (key.isReloadable ? [change] : []))
        #expect(plan.needsRestart == (key.isReloadable ? [] : [change]))
        #expect(plan.settings == (key.isReloadable ? new : Settings()))
    }

    @Test("equal settings change nothing")
    func equal() {
        let plan = ReloadPlan(from: Settings(), to: Settings())
        #expect(plan.changed == [] && plan.needsRestart == [] && plan.faults == [])
        #expect(plan.settings == Settings())
    }

    @Test("keys that decide who has access, and keys of the store, need a restart")
    func needsRestart() throws {
        for name in [
            "data", "listen", "admin_socket", "require_tokens", "allow_anyone_from_anywhere", "loops",
            "room_queues",
        ] {
            #expect(try !#require(ConfigurationKey.named(name)).isReloadable, "\(name)")
        }
        for key in ConfigurationKey.all where key.group == .store {
            #expect(!key.isReloadable, "\(key.name)")
        }
    }

    @Test("new values that contradict a value kept until a restart are a fault")
    func contradiction() {
        let running = configured("{limit_document: '4 MiB', limit_line: '25 MiB'}")
        let new = configured("{limit_document: '1 MiB', limit_line: '7 MiB'}")
        #expect(running.sentences == [] && new.sentences == [])
        let plan = ReloadPlan(from: running.settings, to: new.settings)
        #expect(plan.faults.count == 1)
        let start = "restart the server, because a reload does not change limit_document; "
        #expect(
            plan.faults.first?.hasPrefix(start + "with the running value, limit_line: 7 MiB is less than ")
                == true)
    }

    @Test("a change is written without quotes, and an empty text as `empty`")
    func words() throws {
        let key = try #require(ConfigurationKey.named("tls_key"))
        let change = SettingChange(key: key, from: Settings(), to: try settings(key, "'/etc/a b.key'"))
        #expect(change.description == "tls_key: empty -> /etc/a b.key")
    }
}
