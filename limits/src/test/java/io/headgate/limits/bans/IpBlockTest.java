package io.headgate.limits.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of IP addresses. */
class IpBlockTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "192.0.2.0/24, 192.0.2.0/24",
        "0.0.0.0/0, 0.0.0.0/0",
        "192.0.2.1/32, 192.0.2.1",
        "::ffff:192.0.2.1, 192.0.2.1",
        "2001:DB8:0:0::1, 2001:db8::1",
        "2001:db8::/32, 2001:db8::/32",
        "::/0, ::/0",
        "::1/128, ::1",
    })
    void an_address_or_block_is_written_in_its_canonical_form(String text, String canonical) {
        assertThat(IpBlock.find(text).orElseThrow()).hasToString(canonical);
        assertThat(IpBlock.parse("block", text)).isEqualTo(IpBlock.parse("block", canonical));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "alice",
                "1.2.3",
                "1.2.3.4/",
                "1.2.3.4/33",
                "1.2.3.0/-1",
                "1.2.3.0/24/1",
                "::/129",
                "::1/64",
                "192.0.2.1/24",
                "fe80::1%eth0",
                "1.2.3.4/ 8",
                "10.0.0.0/+8",
                "/8"
            })
    void other_text_is_no_block(String text) {
        assertThat(IpBlock.find(text)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpBlock.parse("block", text))
                .withMessageStartingWith("block ");
    }

    @Test
    void the_error_of_a_block_with_bits_after_its_prefix_shows_the_block() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpBlock.parse("block", "192.0.2.77/24"))
                .withMessage("block 192.0.2.77/24 has bits after its prefix; write 192.0.2.0/24");
    }

    @Test
    void an_ipv4_block_contains_no_ipv6_address_and_the_reverse() {
        assertThat(block("0.0.0.0/0").contains(block("2001:db8::1"))).isFalse();
        assertThat(block("::/0").contains(block("192.0.2.1"))).isFalse();
        assertThat(block("0.0.0.0/0").contains(block("192.0.2.1"))).isTrue();
        assertThat(block("::/0").contains(block("2001:db8::/32"))).isTrue();
    }

    /** Compares with the arithmetic of large numbers. */
    @ParameterizedTest
    @ValueSource(ints = {32, 128})
    void a_block_contains_another_if_the_bits_of_its_prefix_are_the_same(int bits) throws UnknownHostException {
        Random random = new Random(bits);
        for (int i = 0; i < 5000; i++) {
            byte[] first = new byte[bits / Byte.SIZE];
            random.nextBytes(first);
            // So that the two share some bits.
            byte[] second = first.clone();
            second[random.nextInt(second.length)] ^= (byte) random.nextInt(256);
            IpBlock large = IpBlock.of(InetAddress.getByAddress(first)).enclosing(random.nextInt(bits + 1));
            IpBlock small = IpBlock.of(InetAddress.getByAddress(second)).enclosing(random.nextInt(bits + 1));
            int shift = bits - large.prefixLength();
            boolean sameBits =
                    number(first).shiftRight(shift).equals(number(second).shiftRight(shift));
            assertThat(large.contains(small))
                    .as("%s contains %s", large, small)
                    .isEqualTo(small.prefixLength() >= large.prefixLength() && sameBits);
        }
    }

    private static BigInteger number(byte[] bytes) {
        return new BigInteger(1, bytes);
    }

    @Test
    void blocks_within_a_block_follow_it_in_their_order() {
        List<IpBlock> ordered = Arrays.asList(
                block("9.255.255.255"),
                block("10.0.0.0/8"),
                block("10.0.0.0/16"),
                block("10.0.0.0"),
                block("10.0.7.0/24"),
                block("10.255.255.255"),
                block("11.0.0.0/8"),
                block("2001:db8::/32"),
                block("fd00::/8"));
        assertThat(new TreeSet<>(ordered)).containsExactlyInAnyOrderElementsOf(ordered);
        assertThat(new TreeSet<>(ordered).tailSet(block("10.0.0.0/8"), false))
                .startsWith(block("10.0.0.0/16"), block("10.0.0.0"), block("10.0.7.0/24"), block("10.255.255.255"));
    }

    @Test
    void a_block_encloses_no_shorter_prefix_than_its_own() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> block("10.0.0.0/8").enclosing(9))
                .withMessage("prefix length must be from 0 to 8, was 9");
    }

    private static IpBlock block(String text) {
        return IpBlock.parse("block", text);
    }
}
