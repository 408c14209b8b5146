/// The script behind `ReplicatedCluster`. It starts PostgreSQL three times, and obeys commands.
enum ReplicaScript {
    /// Prints why no network namespaces can be made here; prints nothing if they can.
    static let probe = """
        [ "$(id -u)" = 0 ] || { echo 'only root can make network namespaces'; exit; }
        for program in ip nsenter unshare; do
            command -v $program >/dev/null || { echo "$program is not installed"; exit; }
        done
        unshare --net sh -c 'ip link add one type veth peer name other && ip link add third type bridge' 2>&1 && echo possible
        """

    /// The arguments: the folder, `synchronous_standby_names`, and whether to use network namespaces.
    ///
    /// A network namespace has no name, so it is gone with its last process. A process that sleeps holds it, and is
    /// killed at the end of this script for any reason. A link is cut by a wrong hardware address at both of its ends:
    /// packets leave, and nobody gets them, as after a cut cable.
    static let text = #"""
        set -eu
        cd "$1"
        standbys=$2 network=$3
        PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1):$PATH
        as=
        if [ "$(id -u)" = 0 ]; then
            as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
            chown nobody:nogroup .
        fi
        members='1 2 3' nodes='a b c' primary=1 former= holders= stopped=

        # The network.
        address() {
            case $1 in
                a) echo 10.77.0.11 ;;
                b) echo 10.77.0.12 ;;
                c) echo 10.77.0.13 ;;
                *) echo "10.77.0.$1" ;;
            esac
        }
        # within NAME: the words before a command that runs in this namespace.
        within() { [ "$network" = no ] || echo nsenter "--net=network/$1"; }
        hold() {
            setpriv --pdeathsig KILL unshare --net sleep infinity </dev/null >/dev/null &
            holders="$holders $!"
            ln -s "/proc/$!/ns/net" "network/$1"
            until [ "$(readlink "/proc/$!/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do
                kill -0 $!
                sleep 0.01
            done
        }
        plug() {
            hold "$1"
            $(within switch) ip link add "port-$1" type veth peer name eth0 netns $!
            $(within switch) ip link set "port-$1" master switch up
            $(within "$1") ip address add "$(address "$1")/24" dev eth0
            $(within "$1") ip link set eth0 up
            $(within "$1") ip link set lo up
        }
        make_network() {
            mkdir network
            hold switch
            $(within switch) ip link add switch type bridge
            $(within switch) ip link set switch up
            for name in $members $nodes; do plug "$name"; done
        }
        lose() {
            $(within "$1") ip neighbour replace "$(address "$2")" lladdr 02:00:00:00:00:01 nud permanent dev eth0
        }
        find() { $(within "$1") ip neighbour del "$(address "$2")" dev eth0; }
        # divide NAME OTHER...: cuts the links between the first one and the others.
        divide() {
            for other in $2; do lose "$1" "$other" && lose "$other" "$1"; done
        }
        unite() {
            for other in $2; do find "$1" "$other" && find "$other" "$1"; done
        }
        delay() {
            for name in $members $nodes; do
                $(within "$name") tc qdisc replace dev eth0 root netem delay 5ms 5ms 2>tc || {
                    answer=$(head -n 1 tc)
                    return 0
                }
            done
        }
        undelay() {
            for name in $members $nodes; do $(within "$name") tc qdisc del dev eth0 root; done
        }

        # PostgreSQL. The member N has the port 5431 + N, and the folder data N.
        others() { for member in $members; do [ "$member" = "$1" ] || echo "$member"; done; }
        # sql MEMBER STATEMENT: does not wait for standbys.
        sql() {
            PGOPTIONS='-c synchronous_commit=local' psql --quiet --no-psqlrc --tuples-only --no-align \
                --host="$PWD" --port=$((5431 + $1)) --username=caret --dbname=postgres --command="$2" 2>>log
        }
        hosts=$PWD,$PWD,$PWD
        [ "$network" = no ] || hosts=$(address 1),$(address 2),$(address 3)
        # write_list MEMBER STANDBYS: writes the list into the configuration.
        write_list() { echo "synchronous_standby_names = '$2'" >"data$1/postgresql.auto.conf"; }
        # set_list STANDBYS: changes the list of the running primary.
        set_list() {
            write_list $primary "$1"
            $as pg_ctl reload --pgdata="data$primary" >>log 2>&1
            until [ "$(sql $primary 'SHOW synchronous_standby_names')" = "$1" ]; do sleep 0.02; done
        }
        empty_list() { set_list ''; }
        fill_list() { set_list "$standbys"; }
        # lock_row: what an operator may do in psql. The lock lasts three seconds.
        lock_row() {
            sql $primary "SELECT id FROM store.document WHERE id = (SELECT min(id) FROM store.document) FOR UPDATE; \
                SELECT pg_sleep(3)" >/dev/null &
        }
        # run MEMBER: starts a server, and waits until it accepts connections.
        run() {
            listen=
            [ "$network" = no ] || listen=$(address "$1")
            write_list "$1" "$standbys"
            from="host=$hosts port=5432,5433,5434 user=caret target_session_attrs=read-write"
            $(within "$1") $as postgres -D "data$1" -k "$PWD" -p $((5431 + $1)) -c listen_addresses="$listen" \
                -c max_connections=300 -c shared_buffers=64MB -c autovacuum_naptime=5min -c cluster_name="member$1" \
                -c wal_sender_timeout=3s -c wal_receiver_timeout=3s -c wal_receiver_status_interval=1s \
                -c wal_retrieve_retry_interval=100ms -c wal_keep_size=256MB -c max_wal_size=256MB \
                -c primary_conninfo="$from connect_timeout=2 tcp_user_timeout=3000" >>log 2>&1 </dev/null &
            eval "process$1=$!"
            until pg_isready --quiet --host="$PWD" --port=$((5431 + $1)) --username=caret --dbname=postgres; do
                eval "kill -0 \$process$1"
                sleep 0.05
            done
        }
        # send SIGNAL MEMBER: to all processes of a server.
        send() {
            eval "process=\${process$2-}"
            [ -z "$process" ] || kill -"$1" $process $(pgrep -P $process) 2>/dev/null || true
        }
        # crash MEMBER: ends a server as kill -9 does, but removes its shared memory.
        crash() {
            send CONT "$1"
            eval "process=\${process$1-} process$1="
            [ -z "$process" ] || { kill -QUIT $process && wait $process; } || true
        }
        # copy MEMBER: makes a standby of it, with the data of the primary.
        copy() {
            rm -rf "data$1"
            $as pg_basebackup --pgdata="data$1" --host="$PWD" --port=$((5431 + primary)) --username=caret \
                --checkpoint=fast --no-sync >>log 2>&1
            touch "data$1/standby.signal"
            run "$1"
        }
        # isolate: the primary does not reach its standbys any more.
        isolate() {
            if [ "$network" = yes ]; then
                divide $primary "$(others $primary)"
            else
                for member in $(others $primary); do send STOP "$member"; done
            fi
        }
        rejoin() {
            if [ "$network" = yes ]; then
                unite $primary "$(others $primary)"
            else
                for member in $(others $primary); do send CONT "$member"; done
            fi
        }
        # promote: an acked commit is on one of the standbys, so it is on the one that has the longest log. Without
        # a network, an isolated primary ends first, because the standbys must run.
        promote() {
            former=$primary
            if [ "$network" = no ]; then
                crash $former
                for member in $(others $former); do send CONT "$member"; done
            fi
            best= most=
            for member in $(others $former); do
                length=$(sql "$member" "SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), \
                    pg_last_wal_replay_lsn()), '0/0')")
                if [ -z "$best" ] || [ "$length" -gt "$most" ]; then best=$member most=$length; fi
            done
            primary=$best
            $as pg_ctl promote --pgdata="data$primary" --wait >>log 2>&1
        }
        # restore: the former primary becomes a standby of the new one.
        restore() {
            crash $former
            [ -z "$1" ] || unite $former "$(others $former)"
            copy $former
        }
        # cancel: what an operator may do while commits wait for standbys.
        cancel() {
            answer=$(sql $primary "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                WHERE wait_event = 'SyncRep' AND application_name = 'caretd'")
        }
        # The connection of a bus holds the lock on the name of its server.
        buses="SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
        mute() {
            stopped=$(sql $primary "$buses")
            for process in $stopped; do stop_idle $process; done
            set -- $stopped
            answer=$#
        }
        # stop_idle PROCESS: stops a process of PostgreSQL while it waits for its client. Elsewhere it can hold a lock
        # that all other processes need.
        stop_idle() {
            while :; do
                kill -STOP $1
                until grep -q '^State:.T' /proc/$1/status; do sleep 0.01; done
                case $(tr -d '\0' </proc/$1/cmdline) in *' idle') return ;; esac
                kill -CONT $1
                sleep 0.01
            done
        }
        unmute() {
            [ -z "$stopped" ] || kill -CONT $stopped
            stopped=
        }
        end_buses() { sql $primary "SELECT pg_terminate_backend(pid) FROM ($buses) AS bus" >/dev/null; }
        finish() {
            set +e
            [ -z "$stopped" ] || kill -CONT $stopped
            for member in $members; do crash $member; done
            if [ "$network" = yes ]; then
                # A server of a test that was killed would keep its namespace.
                spaces=$(echo $(stat -Lc %i network/a network/b network/c 2>/dev/null))
                stat -Lc '%i %n' /proc/[0-9]*/ns/net 2>/dev/null | while read -r space file; do
                    case " $spaces " in
                        *" $space "*) file=${file#/proc/} && kill -KILL "${file%%/*}" ;;
                    esac
                done
                kill -KILL $holders
            fi
            wait
            cd /
            rm -rf "$1"
        } 2>/dev/null
        trap 'finish "$1"' EXIT
        trap 'exit 1' HUP INT TERM

        [ "$network" = no ] || make_network
        $as initdb --pgdata=data1 --username=caret --auth=trust --encoding=UTF8 --no-sync --data-checksums >log 2>&1
        printf 'host %s all 10.77.0.0/24 trust\n' all replication >>data1/pg_hba.conf
        run 1
        sql 1 'CREATE SCHEMA store'
        for member in $(others 1); do copy "$member"; done
        echo ready
        while read -r word name rest; do
            answer=ready
            case $word in
                divide) divide "$name" "$rest" ;;
                unite) unite "$name" "$rest" ;;
                crash) crash $primary ;;
                stop) crash "$name" ;;
                run) run "$name" ;;
                restore) restore "$name" ;;
                primary) answer=$primary ;;
                *) $word ;;
            esac
            echo $answer
        done
        """#
}
