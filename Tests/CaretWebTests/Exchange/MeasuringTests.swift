import Testing

@Suite("GET /metrics") struct MeasuringTests {
    private let server = WebConversation()

    @Test("counters, refusals and latencies are sent in the format of Prometheus")
    func text() throws {
        server.answers = [
            #"{"type":"counted","since":1500,"counters":[{"name":"connections","value":3},{"name":"pushes","value":7},{"name":"refused_bad_json","value":2}],"latencies":[{"name":"ack","count":9,"p50":1,"p99":2,"max":3,"sum":2500000000,"buckets":[{"below":262144,"count":4},{"below":1073741824,"count":8}]}]}"#
        ]
        let response = try server.request("GET /metrics")
        #expect(server.messages == [#"{"type":"counters"}"#])
        #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(
            response.body == """
                # HELP caret_start_time_seconds When the server started, in seconds since 1970-01-01 UTC.
                # TYPE caret_start_time_seconds gauge
                caret_start_time_seconds 1.5
                # HELP caret_connections Connections that are open now.
                # TYPE caret_connections gauge
                caret_connections 3
                # HELP caret_pushes_total Pushes that reached a document, repeats included.
                # TYPE caret_pushes_total counter
                caret_pushes_total 7
                # HELP caret_refusals_total Errors sent, and requests refused by their host or origin, by their code.
                # TYPE caret_refusals_total counter
                caret_refusals_total{code="bad_json"} 2
                # HELP caret_ack_seconds Time from reading a push until its ack is passed to the connection.
                # TYPE caret_ack_seconds histogram
                caret_ack_seconds_bucket{le="0.000262144"} 4
                caret_ack_seconds_bucket{le="1.073741824"} 8
                caret_ack_seconds_bucket{le="+Inf"} 9
                caret_ack_seconds_sum 2.5
                caret_ack_seconds_count 9

                """)
    }

    @Test("a user who is no administrator may not read the metrics")
    func forbidden() throws {
        server.answers = [#"{"type":"error","code":"forbidden","message":"no"}"#]
        #expect(try server.request("GET /metrics").summary == "403 forbidden")
    }
}
