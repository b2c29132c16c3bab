package io.headgate.http.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.limits.bans.IpBlock;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever a client sends, resolvers throw no exception, and no value exceeds its maximum length. */
class HostileRequestsTest {

    private static final Map<String, ValueResolver> RESOLVERS = Map.ofEntries(
            Map.entry("header", ValueResolver.header("H")),
            Map.entry("query", ValueResolver.query("q")),
            Map.entry("cookie", ValueResolver.cookie("c")),
            Map.entry("path", ValueResolver.path()),
            Map.entry("pattern", ValueResolver.pathPattern("/a/{b}", "/**")),
            Map.entry("variable", ValueResolver.pathVariable("/{b}/**", "b")),
            Map.entry("method", ValueResolver.method()),
            Map.entry(
                    "networks",
                    ValueResolver.clientAddress(ClientAddress.trusting("0.0.0.0/1", "128.0.0.0/1", "::/1"))),
            Map.entry("number", ValueResolver.clientAddress(ClientAddress.behindProxies(2))),
            Map.entry(
                    "forwarded",
                    ValueResolver.clientAddress(
                            ClientAddress.trusting("0.0.0.0/1", "128.0.0.0/1").readingForwarded())),
            Map.entry("attribute", ValueResolver.attribute("a")),
            Map.entry("first", ValueResolver.firstOf(ValueResolver.header("H"), ValueResolver.query("q"))));

    private static final AttributeResolver ALL = all();

    private static AttributeResolver all() {
        AttributeResolver.Builder builder = AttributeResolver.builder();
        RESOLVERS.forEach(builder::attribute);
        return builder.build();
    }

    @Property(tries = 1000)
    void hostile_requests_never_throw_and_never_exceed_the_bounds(@ForAll("requests") FakeRequest request) {
        ResolvedAttributes resolved = ALL.resolve(request);

        resolved.attributes()
                .asMap()
                .forEach((name, value) -> assertThat(value.length()).as(name).isBetween(1, ResolvedValue.MAX_LENGTH));
        assertThat(resolved.attributes().asMap().size() + resolved.absent().size())
                .isEqualTo(RESOLVERS.size());
        for (Absent absent : resolved.absent().values()) {
            assertThat(absent.detail().length()).isLessThan(100);
        }
    }

    @Property(tries = 2000)
    void a_query_value_survives_encoding_and_decoding(@ForAll("wellFormed") String value) {
        String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);

        assertThat(ValueResolver.query("q").resolve(FakeRequest.get("/?a=1&q=" + encoded + "&b=2")))
                .isEqualTo(ResolvedValue.of("query parameter q", value));
    }

    @Property(tries = 2000)
    void normalizing_a_path_is_idempotent(@ForAll("texts") String text) {
        String normal = UriText.normalPath("/" + text);

        assertThat(UriText.normalPath(normal)).isEqualTo(normal);
        assertThat(normal.endsWith("/") ? normal : normal + "/").doesNotContain("//", "/./", "/../");
    }

    @Property(tries = 2000)
    void the_jdk_parses_formatted_addresses_and_addresses_that_the_jdk_formats_are_parsed(
            @ForAll @Size(16) List<@IntRange(max = 3) Integer> groups) throws UnknownHostException {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[i] = (byte) (groups.get(i) == 3 ? 0xfe : groups.get(i) == 2 ? 0x10 : 0);
        }
        InetAddress address = InetAddress.getByAddress(bytes);
        String text = IpBlock.of(InetAddress.getByAddress(bytes)).toString();

        assertThat(InetAddress.getByName(text)).isEqualTo(address);
        assertThat(ClientAddress.parse(text)).contains(address);
        assertThat(ClientAddress.parse(address.getHostAddress())).contains(address);
    }

    @Property(tries = 2000)
    void exactly_the_texts_that_the_jdk_accepts_are_ipv6_addresses(@ForAll("almostAddresses") String text) {
        // The JDK also accepts groups with more digits, and leading zeros in an IPv4 part.
        Assume.that(text.indexOf(':') >= 0
                && !text.matches(".*[0-9a-fA-F]{5}.*|.*(?<![0-9a-fA-F])0[0-9]+\\..*|.*\\.0[0-9].*"));

        assertThat(ClientAddress.parse(text)).as(text).isEqualTo(ofJdk(text));
    }

    /** The JDK parses text in brackets as IPv6 only, so this never uses DNS. */
    private static Optional<InetAddress> ofJdk(String text) {
        try {
            return Optional.of(InetAddress.getByName("[" + text + "]"));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    @Property(tries = 2000)
    void text_before_the_address_that_a_trusted_proxy_appended_has_no_effect(
            @ForAll("texts") String sent, @ForAll boolean forwarded) {
        ClientAddress address = ClientAddress.trusting("10.0.0.0/8");
        FakeRequest request = FakeRequest.get("/")
                .from(ClientAddress.parse("10.0.0.1"))
                .withField("X-Forwarded-For", sent + ", 198.51.100.7")
                .withField("Forwarded", sent + ", for=198.51.100.7;proto=https");

        assertThat((forwarded ? address.readingForwarded() : address).text(request))
                .contains("198.51.100.7");
        assertThat((forwarded ? ClientAddress.behindProxies(1).readingForwarded() : ClientAddress.behindProxies(1))
                        .text(request))
                .contains("198.51.100.7");
    }

    @Provide
    Arbitrary<FakeRequest> requests() {
        Arbitrary<String> text = texts();
        return Combinators.combine(
                        text,
                        text,
                        text.optional(),
                        text.list().ofMaxSize(3),
                        Arbitraries.of("10.0.0.1", "fe80::1", ""))
                .as((method, path, query, fields, peer) -> {
                    FakeRequest request = new FakeRequest(
                            method, path, query, Map.of(), ClientAddress.parse(peer), Map.of("a", method));
                    for (String field : fields) {
                        for (String name : List.of("H", "Cookie", "X-Forwarded-For", "Forwarded")) {
                            request = request.withField(name, field);
                        }
                    }
                    return request;
                });
    }

    /** Returns any UTF-16, including unpaired surrogates; text that is joined from pieces that parsers look for; and long text. */
    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> pieces = Arbitraries.of(
                        "q=",
                        "us",
                        "&",
                        "%",
                        "%2",
                        "%41",
                        "%FF",
                        "%2e",
                        "+",
                        ";",
                        "=",
                        "c=",
                        "\"",
                        "\\",
                        ",",
                        "for=",
                        "[",
                        "]",
                        ":",
                        "::",
                        "/",
                        "//",
                        "..",
                        "/.",
                        "1.2.3.4",
                        "2001:db8::1",
                        "10.0.0.1",
                        "unknown",
                        " ",
                        "\t",
                        "\0",
                        "é",
                        "\ud800",
                        "😀")
                .list()
                .ofMaxSize(20)
                .map(list -> String.join("", list));
        Arbitrary<String> longText = Arbitraries.of("a", "%41", ",", "/", "1.2.3.4,", ";", "&q=", "%", "[")
                .map(piece -> piece.repeat(40_000 / piece.length()));
        return Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.strings().ofMaxLength(40)), Tuple.of(20, pieces), Tuple.of(1, longText));
    }

    @Provide
    Arbitrary<String> wellFormed() {
        return Arbitraries.strings()
                .excludeChars(surrogates())
                .ofMaxLength(40)
                .map(text -> text + "😀".repeat(text.length() % 2));
    }

    private static char[] surrogates() {
        char[] all = new char[Character.MAX_SURROGATE - Character.MIN_SURROGATE + 1];
        for (int i = 0; i < all.length; i++) {
            all[i] = (char) (Character.MIN_SURROGATE + i);
        }
        return all;
    }

    @Provide
    Arbitrary<String> almostAddresses() {
        return Arbitraries.of("0", "1", "ab", "FFFF", "fffff", ":", ":", "::", "1.2.3.4", "256.1.1.1", ".", "g")
                .list()
                .ofMinSize(1)
                .ofMaxSize(16)
                .map(list -> String.join("", list));
    }
}
