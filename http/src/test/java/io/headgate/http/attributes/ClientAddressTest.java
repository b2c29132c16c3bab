package io.headgate.http.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {

    private static final ClientAddress NETWORKS = ClientAddress.trusting("10.0.0.0/8", "fd00::/8", "192.0.2.1");

    @Test
    void by_default_no_proxy_is_trusted() {
        FakeRequest request = peer("10.0.0.1")
                .withField("X-Forwarded-For", "198.51.100.7")
                .withField("Forwarded", "for=198.51.100.7");

        assertThat(ClientAddress.ofPeer().text(request)).contains("10.0.0.1");
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.1    |                                         | 10.0.0.1
            10.0.0.1    | 198.51.100.7                            | 198.51.100.7
            10.0.0.1    | 6.6.6.6, 198.51.100.7                   | 198.51.100.7
            10.0.0.1    | 6.6.6.6, 198.51.100.7, 10.2.3.4         | 198.51.100.7
            10.0.0.1    | 6.6.6.6,198.51.100.7 ,\t10.2.3.4,       | 198.51.100.7
            10.0.0.1    | 198.51.100.7:40000                      | 198.51.100.7
            10.0.0.1    | [2001:db8:1:2::7]:443                   | 2001:db8:1:2::/64
            10.0.0.1    | [2001:db8:1:2::7]                       | 2001:db8:1:2::/64
            10.0.0.1    | 2001:db8:1:2::7                         | 2001:db8:1:2::/64
            10.0.0.1    | ::ffff:198.51.100.7                     | 198.51.100.7
            10.0.0.1    | [::ffff:198.51.100.7]:80                | 198.51.100.7
            10.0.0.1    | 198.51.100.7, ::ffff:10.2.3.4           | 198.51.100.7
            10.0.0.1    | 10.9.9.9, 10.2.3.4                      | 10.9.9.9
            ::ffff:10.0.0.1 | 198.51.100.7                        | 198.51.100.7
            fd00::1     | 198.51.100.7, fd12::9                   | 198.51.100.7
            192.0.2.1   | 198.51.100.7                            | 198.51.100.7
            192.0.2.2   | 198.51.100.7                            | 192.0.2.2
            2001:db8::1 | 198.51.100.7                            | 2001:db8::/64
            10.0.0.1    | unknown                                 | 10.0.0.1
            10.0.0.1    | 198.51.100.7, unknown                   | 10.0.0.1
            10.0.0.1    | 198.51.100.7, garbage, 10.2.3.4         | 10.0.0.1
            10.0.0.1    | garbage, 198.51.100.7, 10.2.3.4         | 198.51.100.7
            10.0.0.1    | 198.51.100.256                          | 10.0.0.1
            10.0.0.1    | 198.51.100.07                           | 10.0.0.1
            10.0.0.1    | 198.51.100                              | 10.0.0.1
            10.0.0.1    | 3325256711                              | 10.0.0.1
            10.0.0.1    | 198.51.100.7:                           | 10.0.0.1
            10.0.0.1    | [198.51.100.7]                          | 10.0.0.1
            10.0.0.1    | localhost                               | 10.0.0.1
            10.0.0.1    | fe80::1%eth0                            | 10.0.0.1
            """)
    void with_trusted_networks_the_client_is_the_last_address_outside_of_them_or_else_the_first_or_the_peer(
            String peer, String field, String client) {
        FakeRequest request = peer(peer);
        assertThat(NETWORKS.text(field == null ? request : request.withField("X-Forwarded-For", field)))
                .contains(client);
    }

    @ParameterizedTest(name = "{0} of {1}")
    @CsvSource(delimiter = '|', textBlock = """
            1 | 6.6.6.6, 198.51.100.7            | 198.51.100.7
            2 | 6.6.6.6, 198.51.100.7, 10.2.3.4  | 198.51.100.7
            2 | 198.51.100.7                     | 192.0.2.9
            3 | 1.1.1.1, 2.2.2.2                 | 192.0.2.9
            2 | garbage, 10.2.3.4                | 192.0.2.9
            1 | garbage, 198.51.100.7            | 198.51.100.7
            1 |                                  | 192.0.2.9
            """)
    void with_a_number_of_proxies_the_client_is_the_address_that_the_outermost_proxy_appended_or_else_the_peer(
            int proxies, String field, String client) {
        FakeRequest request = peer("192.0.2.9");
        assertThat(ClientAddress.behindProxies(proxies)
                        .text(field == null ? request : request.withField("X-Forwarded-For", field)))
                .contains(client);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            for=198.51.100.7                                   | 198.51.100.7
            For=198.51.100.7;proto=https;by=10.0.0.1           | 198.51.100.7
            proto=https;FOR="198.51.100.7:4711"                | 198.51.100.7
            for="[2001:db8:1:2::7]:4711"                       | 2001:db8:1:2::/64
            for="[2001:db8:1:2::7]"                            | 2001:db8:1:2::/64
            for="[2001:db8:1:2::7]:_port"                      | 2001:db8:1:2::/64
            for=6.6.6.6, for=198.51.100.7                      | 198.51.100.7
            for=6.6.6.6, for=198.51.100.7, for=10.2.3.4        | 198.51.100.7
            for="6.6.6.6, for=198.51.100.7                     | 198.51.100.7
            for="\\, for=198.51.100.7                          | 198.51.100.7
            for=", for="[2001:db8:1:2::7]"                     | 2001:db8:1:2::/64
            for=198.51.100.7;host="a,for=6.6.6.6;b"            | 198.51.100.7
            host="a,for=6.6.6.6;b";for=198.51.100.7            | 198.51.100.7
            for=198.51.100.7;host="\\";for=6.6.6.6"            | 198.51.100.7
            for=unknown                                        | 10.0.0.1
            for=_hidden                                        | 10.0.0.1
            for=198.51.100.7, for=_hidden                      | 10.0.0.1
            proto=https                                        | 10.0.0.1
            for=198.51.100.7;for=198.51.100.8                  | 10.0.0.1
            for                                                | 10.0.0.1
            ====                                               | 10.0.0.1
            """)
    void forwarded_is_read_instead_if_it_is_configured(String field, String client) {
        FakeRequest request = peer("10.0.0.1").withField("Forwarded", field).withField("X-Forwarded-For", "6.6.6.6");

        assertThat(NETWORKS.readingForwarded().text(request)).contains(client);
    }

    @Test
    void forwarded_is_not_read_by_default() {
        assertThat(NETWORKS.text(peer("10.0.0.1").withField("Forwarded", "for=6.6.6.6")))
                .contains("10.0.0.1");
    }

    @Test
    void repeated_fields_are_one_list() {
        FakeRequest request = peer("10.0.0.1")
                .withField("X-Forwarded-For", "6.6.6.6")
                .withField("X-Forwarded-For", "198.51.100.7")
                .withField("X-Forwarded-For", "10.2.3.4, 10.5.5.5");

        assertThat(NETWORKS.text(request)).contains("198.51.100.7");
        assertThat(ClientAddress.behindProxies(3).text(request)).contains("198.51.100.7");
    }

    @Test
    void a_peer_without_an_address_is_trusted_only_by_a_number_of_proxies() {
        FakeRequest request = FakeRequest.get("/").from(Optional.empty()).withField("X-Forwarded-For", "198.51.100.7");

        assertThat(ClientAddress.ofPeer().text(request)).isEmpty();
        assertThat(NETWORKS.text(request)).isEmpty();
        assertThat(ClientAddress.behindProxies(1).text(request)).contains("198.51.100.7");
        assertThat(ValueResolver.clientAddress(NETWORKS).resolve(request))
                .isEqualTo(ResolvedValue.missing("client address"));
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64",
        "2001:db8:1:2:3:4:5:6, 48, 2001:db8:1::/48",
        "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
        "2001:db8:1:2:3:4:5:6, 1, ::/1",
        "fe80::1, 65, fe80::/65",
        "2001:0:0:1::1, 128, 2001:0:0:1::1",
        "1:0:0:2:0:0:0:3, 128, 1:0:0:2::3",
        "1:0:2:3:4:5:6:7, 128, 1:0:2:3:4:5:6:7",
        "198.51.100.7, 48, 198.51.100.7",
    })
    void an_ipv6_address_counts_as_its_network_and_an_ipv4_address_as_itself(String peer, int bits, String text) {
        assertThat(ClientAddress.ofPeer().withIpv6Prefix(bits).text(peer(peer))).contains(text);
    }

    @Test
    void a_mapped_address_of_the_transport_is_the_ipv4_address() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(new byte[] {(byte) 198, 51, 100, 7}, 0, mapped, 12, 4);
        InetAddress peer = Inet6Address.getByAddress(null, mapped, -1);

        assertThat(ClientAddress.ofPeer().text(FakeRequest.get("/").from(Optional.of(peer))))
                .contains("198.51.100.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "::ffff:0:0/96", "10.0.0.0/8/8"})
    void a_trusted_proxy_must_be_an_address_or_a_network(String given) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.trusting(given))
                .withMessage(
                        "trusted proxy must be an IP address or a network such as 10.0.7.0/28 or fd00:7::/64, but was \""
                                + given + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0/0", "::/0"})
    void a_network_of_all_addresses_cannot_be_trusted(String all) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.trusting("10.0.7.0/28", all))
                .withMessage(
                        "trusted networks must not have the prefix /0, as every client could then choose its address, but are"
                                + " 10.0.7.0/28, " + all);
    }

    @Test
    void a_network_with_bits_after_its_prefix_is_an_error_that_names_the_network() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.trusting("10.1.2.3/8"))
                .withMessage("trusted proxy 10.1.2.3/8 has bits after its prefix; write 10.0.0.0/8");
    }

    @Test
    void a_setting_is_a_number_of_proxies_or_a_list_of_networks() {
        FakeRequest request = peer("10.0.0.1").withField("X-Forwarded-For", "6.6.6.6, 198.51.100.7, 192.0.2.8");

        assertThat(ClientAddress.parseTrusted(" 2 ").text(request)).contains("198.51.100.7");
        assertThat(ClientAddress.parseTrusted("10.0.0.0/8").text(request)).contains("192.0.2.8");
        assertThat(ClientAddress.parseTrusted("10.0.0.0/8 , 192.0.2.8").text(request))
                .contains("198.51.100.7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.parseTrusted("17"))
                .withMessage("number of trusted proxies must be from 1 to 16, but was 17");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.parseTrusted("10.0.0.0/8,"))
                .withMessageStartingWith("trusted proxy must be an IP address or a network");
    }

    @Test
    void numbers_out_of_range_and_an_empty_list_are_errors() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.behindProxies(0))
                .withMessage("number of trusted proxies must be from 1 to 16, but was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.ofPeer().withIpv6Prefix(129))
                .withMessage("IPv6 prefix must be from 1 to 128 bits, but was 129");
        assertThatIllegalArgumentException()
                .isThrownBy(ClientAddress::trusting)
                .withMessage("trusted networks must have at least one element, but has none");
    }

    private static FakeRequest peer(String address) {
        return FakeRequest.get("/")
                .from(Optional.of(ClientAddress.parse(address).orElseThrow()));
    }
}
