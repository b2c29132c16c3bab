package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The help and the error messages of the command line. */
class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "serve --help",
                "demo --help",
                "top --help",
                "plan --help",
                "plan limits --help",
                "plan queue --help",
                "doctor --help",
                "queue --help",
                "queue enqueue --help",
                "queue ls --help",
                "queue show --help",
                "queue peek --help",
                "queue cancel --help",
                "queue retry --help",
                "queue redrive --help",
                "queue discard --help",
                "queue pause --help",
                "queue resume --help",
                "queue purge --help",
                "queue audit --help"
            })
    void help_is_printed_and_is_a_success(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).contains("Usage: headgate").doesNotContain("DEFAULT-VALUE", "null");
        assertThat(out.toString().lines()).allMatch(text -> text.length() <= 80);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            serve | --port            | from 0 to 65535 | 8080 by default
            serve | --max-connections | from 1 to 1000000 | 10000 by default
            serve | --max-connections-per-client | from 1 to 1000000 | half of --max-connections by default
            serve | --max-waiting | from 1 to 1000000 | 2000 by default
            serve | --redis-timeout   | from 1ms to 4s | 500ms by default
            serve | --drain-delay     | from 0ms to 60m | 2s by default
            serve | --key-prefix      | 1 to 64 of A-Z a-z 0-9 . _ -, | hg by default
            serve | --bind            | The listen address | 127.0.0.1 by default
            demo  | --port            | from 0 to 65535 | by default 8080
            demo  | --seconds         | this number of seconds, from 1 to 86400 | by default, at Ctrl-C
            """)
    void help_has_the_range_and_the_default_of_an_option(
            String command, String option, String range, String byDefault) {
        assertThat(run(command + " --help")).isZero();
        String[] options = out.toString().replaceAll("\\s+", " ").split(" (?=--[a-z-]+=|-h, )");
        assertThat(options)
                .anySatisfy(text -> assertThat(text).startsWith(option + "=").contains(range, byDefault));
    }

    @Test
    void the_version_is_printed() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).startsWith("headgate ");
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                      | give a command: serve, demo, queue, top, plan, policy, ban, audit, operator, doctor or help
            xyz                                     | unknown command "xyz". Allowed: serve, demo, queue, top, plan, policy, ban, audit, operator, doctor, help
            help xyz                                | unknown command "xyz". Allowed: serve, demo, queue, top, plan, policy, ban, audit, operator, doctor, help
            --port 80                               | unknown option "--port". Allowed: --help, --version
            serve                                   | Missing required option: '--policies=FILE'
            serve --policies                        | Missing required parameter for option '--policies' (FILE)
            serve --policies FILE more              | unknown argument "more"; serve takes options only
            serve FILE                              | unknown argument "FILE"; serve takes options only
            serve --policies FILE --port 65536      | '--port': "65536" is not a whole number from 0 to 65535
            serve --policies FILE --port x          | '--port': "x" is not a whole number from 0 to 65535
            serve --policies FILE --port 99999999999     | '--port': "99999999999" is not a whole number from 0 to 65535
            serve --policies FILE --port 1 --port 2      | '--port' (PORT) should be specified only once
            serve --policies FILE --bind nowhere.invalid | --bind must be an address of this machine
            serve --policies FILE --max-connections 0    | '--max-connections': "0" is not a whole number from 1 to 1000000
            serve --policies FILE --drain-delay 3h       | is not a time from 0ms to 60m
            serve --policies FILE --redis-timeout 5s     | '--redis-timeout': "5s" is not a time from 1ms to 4s such as 250ms
            serve --policies FILE --redis-timeout 0ms    | '--redis-timeout': "0ms" is not a time from 1ms to 4s
            serve --policies FILE --redis redis://h --redis-timeout 40ms --budget 50ms | --budget must be at most the --redis-timeout of 40ms, was 50ms
            serve --policies FILE --redis redis://h --budget soon | --budget must be a duration such as 50ms, 2s or 1m, was soon
            serve --policies FILE --redis redis://h --fallback deny | --fallback must be local, open, closed or none, was deny
            serve --policies FILE --redis redis://h --instances 10001 | --instances must be from 1 to 10000, was 10001
            serve --policies FILE --redis redis://h --key-prefix : | --key-prefix must be 1 to 64 of A-Z a-z 0-9 . _ -
            serve --policies FILE --redis redis://h --redis-ca pom.xml | --redis-ca: certificates are for TLS
            serve --policies FILE --redis rediss://h --redis-ca none.pem | --redis-ca must be a readable file in PEM format, was none.pem
            serve --policies FILE --redis rediss://h --redis-client-key pom.xml | --redis-client-key needs --redis-client-certificate
            serve --policies FILE --redis redis://a:secret@h:x | --redis must be redis://[[user]:password@]host[:port][/database]
            serve --policies FILE --redis-timeout 1s     | --redis-timeout needs --redis
            serve --policies FILE --key-prefix hg        | --key-prefix needs --redis
            serve --policies FILE --etcd http://h        | --etcd needs --policies etcd
            serve --policies etcd                        | --policies etcd needs --etcd, which has the policies; for a file named etcd, give ./etcd
            serve --policies etcd --etcd a:secret@h      | the URL of etcd must be such as http://127.0.0.1:2379
            serve --policies etcd --etcd http://h --etcd-ca pom.xml | --etcd-ca: certificates are for TLS
            serve --policies etcd --etcd https://h --etcd-client-key pom.xml | --etcd-client-key needs --etcd-client-certificate
            serve --policies etcd --etcd http://h --key-prefix : | --key-prefix: key prefix must be 1 to 64 of A-Z a-z 0-9 . _ -
            serve --policies FILE --consul http://h      | --consul needs --policies consul
            serve --policies consul                      | --policies consul needs --consul, which has the policies; for a file named consul, give ./consul
            serve --policies consul --consul a:secret@h  | the URL of Consul must be such as http://127.0.0.1:8500
            serve --policies consul --consul http://h --consul-ca pom.xml | --consul-ca: certificates are for TLS
            serve --policies consul --consul https://h --consul-client-key pom.xml | --consul-client-key needs --consul-client-certificate
            serve --policies consul --consul http://h --consul-token-file none | --consul-token-file must be a readable file with a token, was none
            serve --policies consul --consul http://h --consul-token-file pom.xml | --consul-token-file: the token of Consul must have 1 to 512 visible characters
            serve --policies consul --consul http://h --key-prefix : | --key-prefix: key prefix must be 1 to 64 of A-Z a-z 0-9 . _ -
            serve --policies FILE --policies-copy x      | --policies-copy needs --policies redis, etcd or consul
            policy history                               | give the Redis, etcd or Consul that has the policies: --redis URL, --etcd URL or --consul URL
            policy history --redis redis://h --etcd http://h | --redis cannot be combined with --etcd, since the policies are in one of them
            policy history --etcd http://h --consul-ca x | --etcd cannot be combined with --consul-ca, since the policies are in one of them
            policy rollback 1 --consul nonsense          | the URL of Consul must be such as http://127.0.0.1:8500
            policy rollback 1 --etcd nonsense            | the URL of etcd must be such as http://127.0.0.1:2379
            serve --policies FILE --operator-tokn x      | unknown option "--operator-tokn"; did you mean --operators?
            serve --policies FILE --zigzag red           | unknown option "--zigzag". Allowed: --policies, --redis, --policies-copy, --etcd, --etcd-ca, --etcd-client-certificate, --etcd-client-key, --consul, --consul-token-file, --consul-ca, --consul-client-certificate, --consul-client-key, --redis-ca, --redis-client-certificate, --redis-client-key, --key-prefix
            demo --seconds 0                        | '--seconds': "0" is not a whole number from 1 to 86400
            demo --seconds x                        | '--seconds': "x" is not a whole number from 1 to 86400
            plan                                    | give what to plan: limits or queue
            plan limits --policies ../examples/api.yaml --redis nonsense | the URL of Redis must be such as
            plan limits                             | give either --policies FILE or --limit LIMIT
            plan limits --limit x --policy y        | --policy needs --policies
            plan limits --policies ../examples/api.yaml --users 5 | rule per-ip counts by ip, whose number of ids is not given: --ids DIMENSION=N
            plan limits --policies ../examples/api.yaml --ids user=0 | --ids: "0" is not a whole number from 1 to 100000000000
            plan limits --policies ../examples/api.yaml --ids user | --ids: "user" is not NAME=VALUE, such as user=100000
            plan limits --policies ../examples/api.yaml --users 5 --ids user=6 | the ids of user are given twice
            plan limits --policies ../examples/api.yaml --ids user=6,ip=x | --ids: "6,ip=x" is not a whole number
            plan limits --policies ../examples/api.yaml --users 5 --ids ip=1 --ids x=1 | --ids: no rule counts by "x"; there are user, ip
            plan limits --policies ../examples/api.yaml --rate 0 | requests a second must be more than 0 and at most 1000000000, were 0.0
            plan limits --policies ../examples/api.yaml --active 2 | active share must be more than 0 and at most 1, was 2.0
            plan limits --policies ../examples/api.yaml --request-ids 2 | share of requests with an id must be more than 0 and at most 1, was 2.0
            plan limits --policies ../examples/api.yaml --request-ids 1 --request-id-length 129 | --request-id-length: "129" is not a whole number from 1 to 128
            plan limits --policies ../examples/exports.yaml --users 5 --held soon | --held: "soon" is not a time such as 200us, 50ms, 10s, 5m, 2h or 3d
            plan limits --policies ../examples/exports.yaml --users 5 --held 1us | how long a hold is held must be from
            plan limits --policies ../examples/exports.yaml --users 5 --held 1s --held 2s | --held is given twice
            plan limits --policies ../examples/exports.yaml --users 5 --held 1s --held other=2s | --held: no policy "other" of in-flight limits is planned
            plan queue --rate 0                     | jobs enqueued a second must be more than 0 and at most 1000000000, were 0.0
            plan queue --rate much                  | '--rate': "much" is not a number
            plan queue --jobs 1.5                   | '--jobs': "1.5" is not a whole number
            plan queue --delay soon                 | '--delay': "soon" is not a time such as 200us, 50ms, 10s, 5m, 2h or 3d
            plan queue --delay 4000d                | delay must be from 0 to 3660 days, was PT96000H
            plan queue --shards 65                  | shards must be from 1 to 64, was 65
            plan queue --keep-done 0                | number of done jobs to keep must be from 1 to 10000000, was 0
            plan queue --batch 501                  | jobs of a call must be from 1 to 500, was 501
            plan queue --handling 1s                | jobs arrive faster than the workers handle them: 100 attempts a second, but 2 workers with 10 handlers each handle 20; add workers or handlers
            plan queue --redis nonsense             | the URL of Redis must be such as
            serve --policies FILE --trusted-proxies 10.1.0.0/8 | '--trusted-proxies': trusted proxy 10.1.0.0/8 has bits after its prefix; write 10.0.0.0/8
            serve --policies FILE --trusted-proxies nginx | '--trusted-proxies': trusted proxy must be an IP address or a network such as
            serve --policies FILE --trusted-proxies 2 --forwarded-field Via | '--forwarded-field': "Via" is not X-Forwarded-For or Forwarded
            serve --policies FILE --forwarded-field Forwarded | --forwarded-field needs --trusted-proxies
            serve --policies FILE --ipv6-prefix 48 | --ipv6-prefix needs --trusted-proxies
            serve --policies FILE --trusted-proxies 1 --ipv6-prefix 129 | '--ipv6-prefix': "129" is not a whole number from 1 to 128
            serve --policies FILE --operators /nowhere | --operators "/nowhere": there is no file /nowhere
            serve --policies FILE --operator-bind 127.0.0.1:0 | --operator-bind needs --operators or --operator-token-file
            serve --policies FILE --operator-token sixteen-or-more-characters --operator-bind 8081 | --operator-bind must be HOST:PORT with an address of this machine, such as 127.0.0.1:8081 or [::1]:8081, or a Unix socket
            serve --policies FILE --operator-token sixteen-or-more-characters --operator-bind [::1]:99999 | --operator-bind must be HOST:PORT
            serve --policies FILE --operator-token sixteen-or-more-characters --operator-bind unix:x | --operator-bind: the path of a Unix socket must be absolute and at most 107 bytes long, was "x"
            serve --policies FILE --tls-certificate pom.xml | --tls-certificate needs --tls-key
            serve --policies FILE --tls-key pom.xml | --tls-key needs --tls-certificate
            serve --policies FILE --operator-tls-key pom.xml | --operator-tls-key needs --operator-tls-certificate
            serve --policies FILE --operator-tls-certificate pom.xml --operator-tls-key pom.xml | --operator-tls-certificate needs --operator-bind HOST:PORT
            serve --policies FILE --operator-token sixteen-or-more-characters --operator-bind unix:/x --operator-tls-client-ca pom.xml | --operator-tls-client-ca needs --operator-bind HOST:PORT
            serve --policies FILE --operator-token sixteen-or-more-characters --operator-bind 127.0.0.1:0 --operator-tls-client-ca pom.xml | --operator-tls-client-ca needs --operator-tls-certificate
            serve --policies FILE --tls-certificate /nowhere --tls-key pom.xml | --tls-certificate /nowhere: there is no file /nowhere
            serve --policies FILE --tls-certificate pom.xml --tls-key pom.xml | --tls-certificate pom.xml: the certificate must be in PEM format, and its key in PKCS 8 without a password
            serve --policies FILE --operator-proxy 10.0.0.1 | --operator-proxy needs --operator-user-header
            serve --policies FILE --operator-user-header X-Operator | --operator-user-header needs --operator-proxy
            serve --policies FILE --operator-proxy 10.0.0.1 --operator-user-header X-Operator | --operator-proxy needs --operators
            serve --policies FILE --operators pom.xml --operator-proxy nginx --operator-user-header X-Operator | --operator-proxy must be an IP address or a network such as 10.0.7.0/28, was "nginx"
            serve --policies FILE --operators pom.xml --operator-proxy ::1 --operator-user-header authorization | --operator-user-header must be the name of a header field that only the proxy sets, such as X-Operator, was "authorization"
            operator                                   | give a command: token
            operator token --role view --name a/b      | must be 1 to 64 letters, digits and the characters . _ @ -, was "a/b"
            operator token --name a --role root        | must be view, operate or admin, was "root"
            serve --policies FILE --refund-token short | --refund-token: a token must be 16 to 256 visible ASCII characters
            doctor                                  | give the Redis: --redis URL, or the variable HEADGATE_REDIS
            doctor --redis nonsense                 | the URL of Redis must be such as redis://127.0.0.1:6379
            doctor --redis redis://h --key-prefix : | --key-prefix must be 1 to 64 of A-Z a-z 0-9 . _ -
            top                                     | give the Redis: --redis URL, or the variable HEADGATE_REDIS
            top --redis redis://h --max 0          | '--max': "0" is not a whole number from 1 to 256
            queue                                   | give a command: ls, show, peek, enqueue, cancel, retry, redrive, discard, pause, resume, purge or audit
            queue ls                                | give the Redis: --redis URL, or the variable HEADGATE_REDIS
            queue ls --redis redis://h --key-prefix : | --key-prefix must be 1 to 64 of A-Z a-z 0-9 . _ -
            demo --port -1                          | '--port': "-1" is not a whole number from 0 to 65535
            """)
    void a_wrong_command_line_exits_with_2_the_reason_and_a_pointer_to_help(String line, String message) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("headgate: ")
                .contains(message)
                .contains("--help")
                .doesNotContain("Exception");
        assertThat(err.toString().lines()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            serv                                  | unknown command "serv"; did you mean serve?
            srve --policies FILE                  | unknown command "srve"; did you mean serve?
            demos                                 | unknown command "demos"; did you mean demo?
            help serv                             | unknown command "serv"; did you mean serve?
            serve --polices FILE                  | unknown option "--polices"; did you mean --policies?
            serve --policy=FILE                   | unknown option "--policy"; did you mean --policies?
            serve --policies FILE --drain-dely 1s | unknown option "--drain-dely"; did you mean --drain-delay?
            demo --second 3                       | unknown option "--second"; did you mean --seconds?
            """)
    void a_misspelled_argument_is_an_error_with_a_suggestion_and_the_allowed_values(String line, String meant) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString()).contains(meant).contains("Allowed: ");
        assertThat(err.toString().lines()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--redsi redis://:secret@h",
                "--redsi=redis://:secret@h",
                "--redis redis://:secret@h --x",
                "--refund-tokn secret"
            })
    void a_password_on_a_wrong_command_line_is_not_repeated(String wrong) {
        assertThat(run("serve --policies FILE " + wrong)).isEqualTo(2);
        assertThat(err.toString()).contains("unknown option").doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({"help, Usage: headgate [-hV] COMMAND", "help serve, Usage: headgate serve"})
    void help_is_also_a_command(String line, String usage) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).contains(usage);
    }

    @Test
    void a_port_in_use_exits_with_1_before_redis_is_tried() {
        try (TestServer other = new TestServer()) {
            int port = other.server.address().getPort();

            // Without a fallback, an attempt to connect would fail with another error.
            String serve = "serve --policies ../examples/policies.yaml --redis redis://127.0.0.1:1 --fallback none";

            assertThat(run(serve + " --port " + port)).isEqualTo(1);
            assertThat(err.toString())
                    .isEqualToIgnoringNewLines(
                            "headgate: port " + port + " is in use at 127.0.0.1; choose another with --port");
        }
    }

    private int run(String line) {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.remove("");
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    }
}
