package io.headgate.redis.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.limits.internal.BoundedId;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HotKeysPartTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final KeyCounts NONE = new KeyCounts(0, 0, List.of());

    @Test
    void decoded_parts_equal_the_encoded_ones() {
        TopKeys one = new TopKeys(
                "api",
                NOON,
                new KeyCounts(
                        9,
                        1,
                        List.of(
                                new HotKey("per-user", List.of("alice"), 5, 0),
                                new HotKey("both", List.of("Zoë", "192.0.2.7"), 4, 1))),
                new KeyCounts(3, 0, List.of(new HotKey("global", List.of(), 3, 0))),
                4);
        TopKeys none = new TopKeys("api", NOON, NONE, NONE, 1);
        assertThat(HotKeysPart.decode("api", NOON, joined(HotKeysPart.encode(one), HotKeysPart.encode(none))))
                .containsExactly(one, none);
        assertThat(HotKeysPart.decode("api", NOON, new byte[0])).isEmpty();
    }

    @Test
    void a_part_is_bounded_and_reports_the_highest_count_of_an_unlisted_key() {
        List<HotKey> longKeys = IntStream.range(0, 4096)
                .mapToObj(i -> new HotKey("r".repeat(64), Collections.nCopies(8, "ü".repeat(128) + i), 5000 - i, 0))
                .toList();
        KeyCounts many = new KeyCounts(1_000_000, 0, longKeys);
        byte[] bytes = HotKeysPart.encode(new TopKeys("api", NOON, many, many, 1));
        assertThat(bytes).hasSizeBetween(HotKeysPart.MAX_BYTES / 2, HotKeysPart.MAX_BYTES);
        KeyCounts read = HotKeysPart.decode("api", NOON, bytes).get(0).requested();
        assertThat(read.keys())
                .isNotEmpty()
                .isEqualTo(longKeys.subList(0, read.keys().size()));
        assertThat(read.unlisted()).isEqualTo(longKeys.get(read.keys().size()).count());
    }

    @Test
    void ids_that_utf8_cannot_encode_are_distinguished_by_their_hashes() {
        List<String> ids = List.of("a\ud800", "a\udc00", "\ud800".repeat(2), "a?", "a\ufffd", "Zoë 🎉");
        KeyCounts odd = new KeyCounts(
                9,
                0,
                IntStream.range(0, 6)
                        .mapToObj(i -> new HotKey("per-user", List.of(ids.get(i)), 9 - i, 0))
                        .toList());
        byte[] bytes = HotKeysPart.encode(new TopKeys("api", NOON, odd, NONE, 1));

        List<String> read = HotKeysPart.decode("api", NOON, bytes).get(0).requested().keys().stream()
                .map(key -> key.ids().get(0))
                .toList();

        assertThat(read).doesNotHaveDuplicates();
        assertThat(read.subList(0, 3))
                .isEqualTo(ids.subList(0, 3).stream().map(BoundedId::hashed).toList());
        assertThat(read.subList(3, 6)).isEqualTo(ids.subList(3, 6));
    }

    @Test
    void usual_hot_keys_fit_in_a_part() {
        List<HotKey> usual = IntStream.range(0, 180)
                .mapToObj(i -> new HotKey("per-user", List.of("user-" + 1000 + i), 5000 - i, 0))
                .toList();
        KeyCounts many = new KeyCounts(1_000_000, 0, usual);
        TopKeys top = new TopKeys("api", NOON, many, many, 1);
        assertThat(HotKeysPart.decode("api", NOON, HotKeysPart.encode(top))).containsExactly(top);
    }

    @Test
    void parts_of_another_version_are_skipped_and_foreign_values_are_reported() {
        // Three bytes follow, the first of which is version 2.
        byte[] later = ByteBuffer.allocate(7).putInt(3).put((byte) 2).array();
        byte[] own = HotKeysPart.encode(new TopKeys("api", NOON, NONE, NONE, 1));
        assertThat(HotKeysPart.decode("api", NOON, joined(later, own))).hasSize(1);
        assertThatThrownBy(() -> HotKeysPart.decode("api", NOON, new byte[] {1, 2, 3}))
                .hasMessage("hot keys of policy api are not as Headgate writes them");
        assertThatThrownBy(() -> HotKeysPart.decode("api", NOON, new byte[] {0, 0, 1, 0, 1}))
                .isInstanceOf(IllegalStateException.class);
    }

    private static byte[] joined(byte[] one, byte[] other) {
        return ByteBuffer.allocate(one.length + other.length)
                .put(one)
                .put(other)
                .array();
    }
}
