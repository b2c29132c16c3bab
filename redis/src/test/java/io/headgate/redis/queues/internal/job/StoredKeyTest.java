package io.headgate.redis.queues.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.internal.Utf8;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The stored bytes of job keys. */
class StoredKeyTest {

    @Test
    void a_key_without_a_group_is_stored_unchanged() {
        assertThat(StoredKey.bytes(Optional.empty(), Optional.empty(), "käse")).isEqualTo(Utf8.of("käse"));
    }

    @Test
    void a_key_in_a_group_follows_the_group_and_a_byte_that_utf_8_never_contains() {
        assertThat(StoredKey.bytes(Optional.empty(), Optional.of("g"), "k")).containsExactly('g', 0xff, 'k');
    }

    @Test
    void the_key_is_read_without_its_group() {
        byte[] stored = StoredKey.bytes(Optional.empty(), Optional.of("alice"), "größe");
        byte[] among = new byte[stored.length + 4];
        System.arraycopy(stored, 0, among, 2, stored.length);
        assertThat(StoredKey.key(among, 2, stored.length)).isEqualTo("größe");
        assertThat(StoredKey.display(stored)).isEqualTo("größe of group alice");
        assertThat(StoredKey.display(Utf8.of("größe"))).isEqualTo("größe");
    }

    @Test
    void a_key_of_a_tenant_follows_the_tenant_and_another_byte_that_utf_8_never_contains() {
        byte[] stored = StoredKey.bytes(Optional.of("acme"), Optional.of("g"), "k");
        assertThat(stored).containsExactly('a', 'c', 'm', 'e', 0xfe, 'g', 0xff, 'k');
        assertThat(StoredKey.key(stored, 0, stored.length)).isEqualTo("k");
        assertThat(StoredKey.display(stored)).isEqualTo("k of group g of tenant acme");
        byte[] withoutGroup = StoredKey.bytes(Optional.of("acme"), Optional.empty(), "k");
        assertThat(withoutGroup).containsExactly('a', 'c', 'm', 'e', 0xfe, 'k');
        assertThat(StoredKey.key(withoutGroup, 0, withoutGroup.length)).isEqualTo("k");
        assertThat(StoredKey.display(withoutGroup)).isEqualTo("k of tenant acme");
    }

    @Test
    void keys_and_groups_that_concatenate_to_the_same_text_are_stored_as_different_bytes() {
        assertThat(StoredKey.bytes(Optional.empty(), Optional.of("a"), "bc"))
                .isNotEqualTo(StoredKey.bytes(Optional.empty(), Optional.of("ab"), "c"));
        assertThat(StoredKey.bytes(Optional.empty(), Optional.of("a"), "b"))
                .isNotEqualTo(StoredKey.bytes(Optional.empty(), Optional.empty(), "a\u00ffb"));
    }
}
