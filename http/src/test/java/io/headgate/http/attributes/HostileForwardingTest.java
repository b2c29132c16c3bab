package io.headgate.http.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever {@code Forwarded} and {@code X-Forwarded-For} contain, the client is the peer, or an address that the fields contain. */
class HostileForwardingTest {

    private static final String[] TRUSTED = {"10.0.0.0/8", "fd00::/8", "fe80::/10", "::1"};
    private static final String CLIENT = "198.51.100.7";

    /** The text of an address or a host, with any zone and port. */
    private static final Pattern NODE = Pattern.compile("[0-9A-Za-z:.%_-]+");

    private static final Pattern V4 = Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?!$)|$)){4}");
    private static final Pattern V6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern V4_WITH_PORT = Pattern.compile("([0-9.]+):[0-9A-Za-z._-]+");

    @Property(tries = 1000)
    void the_client_is_the_peer_or_an_address_of_the_fields(
            @ForAll("peers") Optional<InetAddress> peer,
            @ForAll("fields") List<String> fields,
            @ForAll @IntRange(min = 1, max = 3) int proxies)
            throws UnknownHostException {
        FakeRequest request = FakeRequest.get("/").from(peer);
        List<InetAddress> allowed = new ArrayList<>();
        if (peer.isPresent()) {
            allowed.add(InetAddress.getByAddress(peer.get().getAddress()));
        }
        for (String field : fields) {
            request = request.withField("Forwarded", field).withField("X-Forwarded-For", field);
            allowed.addAll(addresses(field));
        }

        for (ClientAddress addresses : List.of(ClientAddress.trusting(TRUSTED), ClientAddress.behindProxies(proxies))) {
            for (ClientAddress address : List.of(addresses, addresses.readingForwarded())) {
                Optional<InetAddress> client = address.find(request);
                assertThat(allowed).containsAll(client.stream().toList());
                assertThat(client.isPresent() || peer.isEmpty()).isTrue();
                assertThat(address.text(request)).isEqualTo(client.map(address::text));
                assertThat(client.map(address.withIpv6Prefix(128)::text).flatMap(ClientAddress::parse))
                        .isEqualTo(client);
            }
        }
    }

    @Property(tries = 500)
    void a_peer_that_is_no_trusted_proxy_is_the_client(@ForAll("fields") List<String> fields) {
        FakeRequest request = FakeRequest.get("/").from(ClientAddress.parse(CLIENT));
        for (String field : fields) {
            request = request.withField("Forwarded", field).withField("X-Forwarded-For", field);
        }

        assertThat(ClientAddress.trusting(TRUSTED).text(request)).contains(CLIENT);
        assertThat(ClientAddress.trusting(TRUSTED).readingForwarded().text(request))
                .contains(CLIENT);
        assertThat(ClientAddress.ofPeer().text(request)).contains(CLIENT);
    }

    @Property(tries = 1000)
    void what_the_trusted_proxies_append_decides(
            @ForAll("fields") List<String> sent,
            @ForAll("seen") String seen,
            @ForAll @Size(max = 4) List<@IntRange(max = 255) Integer> inner,
            @ForAll boolean repeated) {
        List<String> plain = new ArrayList<>(sent);
        List<String> forwarded = new ArrayList<>(sent);
        append(plain, seen, repeated);
        append(forwarded, "for=\"" + seen + "\";proto=https", repeated);
        for (int host : inner) {
            append(plain, "10.0.0." + host, repeated);
            append(forwarded, "for=10.0.0." + host + ";host=\"a,b\\\";c\"", repeated);
        }
        FakeRequest request = FakeRequest.get("/").from(ClientAddress.parse("10.1.1.1"));
        for (int i = 0; i < plain.size(); i++) {
            request = request.withField("X-Forwarded-For", plain.get(i)).withField("Forwarded", forwarded.get(i));
        }

        String client = seen.startsWith("[") ? "2001:db8:1:2::/64" : CLIENT;
        for (ClientAddress address :
                List.of(ClientAddress.trusting(TRUSTED), ClientAddress.behindProxies(inner.size() + 1))) {
            assertThat(address.text(request)).contains(client);
            assertThat(address.readingForwarded().text(request)).contains(client);
        }
    }

    /** Adds an element as a proxy does: to the last field, or as another field of the same name. */
    private static void append(List<String> fields, String element, boolean repeated) {
        if (repeated || fields.isEmpty()) {
            fields.add(element);
        } else {
            int last = fields.size() - 1;
            fields.set(last, fields.get(last) + ", " + element);
        }
    }

    /** Returns the addresses in a field, as the JDK parses them. A text with a zone is not an address. */
    private static List<InetAddress> addresses(String field) throws UnknownHostException {
        List<InetAddress> found = new ArrayList<>();
        for (Matcher node = NODE.matcher(field); node.find(); ) {
            Matcher withPort = V4_WITH_PORT.matcher(node.group());
            String text =
                    withPort.matches() && V4.matcher(withPort.group(1)).matches() ? withPort.group(1) : node.group();
            if (V4.matcher(text).matches()) {
                found.add(InetAddress.getByName(text));
            } else if (V6.matcher(text).matches()) {
                ofJdk(text).ifPresent(found::add);
            }
        }
        return found;
    }

    /** The JDK parses text in brackets as IPv6 only, so this never uses DNS. */
    private static Optional<InetAddress> ofJdk(String text) {
        try {
            return Optional.of(InetAddress.getByName("[" + text + "]"));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    @Provide
    Arbitrary<Optional<InetAddress>> peers() throws UnknownHostException {
        byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        mapped[12] = 10;
        return Arbitraries.of(
                ClientAddress.parse("10.0.0.1"),
                ClientAddress.parse("192.0.2.1"),
                ClientAddress.parse("2001:db8::1"),
                ClientAddress.parse("::1"),
                Optional.of(Inet6Address.getByAddress(null, linkLocal, 3)),
                Optional.of(Inet6Address.getByAddress(null, mapped, -1)),
                Optional.empty());
    }

    /** What the outermost proxy appends: the address of its peer. */
    @Provide
    Arbitrary<String> seen() {
        return Arbitraries.of(CLIENT, CLIENT + ":4711", "[2001:db8:1:2::7]", "[2001:db8:1:2::7]:4711");
    }

    /** Returns the values of up to four fields of the same name: random bytes, lists that are nearly well-formed, or huge. */
    @Provide
    Arbitrary<List<String>> fields() {
        Arbitrary<String> bytes = Arbitraries.bytes()
                .array(byte[].class)
                .ofMaxSize(60)
                .map(array -> new String(array, StandardCharsets.ISO_8859_1));
        Arbitrary<String> separators = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of(",", ", ", " ,\t", ",,")),
                Tuple.of(1, Arbitraries.of(";", "\",", "\"", "\\\"", " ")));
        Arbitrary<String> lists = Combinators.combine(elements(), separators)
                .as((element, separator) -> element + separator)
                .list()
                .ofMaxSize(8)
                .map(list -> String.join("", list));
        Arbitrary<String> huge =
                Arbitraries.oneOf(lists, bytes).map(text -> text.repeat(100_000 / Math.max(1, text.length())));
        return Arbitraries.frequencyOf(Tuple.of(8, bytes), Tuple.of(40, lists), Tuple.of(1, huge))
                .list()
                .ofMaxSize(4);
    }

    /** Returns texts such as {@code for="[2001:db8::1%eth0]:99999}. */
    private static Arbitrary<String> elements() {
        Arbitrary<String> addresses = Arbitraries.oneOf(
                Arbitraries.of(
                        "10.0.0.1", "10.2.3.4", "fd00::9", "203.0.113.9", "2001:db8::9", "::ffff:10.0.0.1", "::"),
                Arbitraries.of("10.0.0.01", "::12345", "::g", ":::", "localhost", "_hidden", ""),
                Arbitraries.integers()
                        .between(0, 300)
                        .list()
                        .ofMinSize(3)
                        .ofMaxSize(5)
                        .map(HostileForwardingTest::v4),
                Arbitraries.integers()
                        .between(0, 0xffff)
                        .list()
                        .ofMinSize(2)
                        .ofMaxSize(10)
                        .map(HostileForwardingTest::v6));
        Arbitrary<String> wellFormed = Combinators.combine(Arbitraries.of("", "for="), addresses)
                .as((parameter, address) -> parameter + address);
        Arbitrary<String> malformed = Combinators.combine(
                        mostlyNone("for=", "for=", "For = ", "for==", "by=", "="),
                        mostlyNone("[", "[", "\"", "\"[", "[[", "'", "\\\"", "]"),
                        addresses,
                        mostlyNone("%eth0", "%25eth0", "%", "%1"),
                        mostlyNone("]", "]", "\"", "]\"", "]]", "'", "\\", "["),
                        mostlyNone(":80", ":99999", ":999999999999", ":", ":-1", ":_p", ":80:80", ":x"))
                .as((parameter, open, address, zone, close, port) -> parameter + open + address + zone + close + port);
        return Arbitraries.oneOf(wellFormed, malformed);
    }

    private static Arbitrary<String> mostlyNone(String... texts) {
        return Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.just("")), Tuple.of(2, Arbitraries.of(texts)));
    }

    private static String v4(List<Integer> bytes) {
        return bytes.stream().map(String::valueOf).collect(Collectors.joining("."));
    }

    private static String v6(List<Integer> groups) {
        return groups.stream().map(Integer::toHexString).collect(Collectors.joining(":"));
    }
}
