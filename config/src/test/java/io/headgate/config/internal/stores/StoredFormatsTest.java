package io.headgate.config.internal.stores;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyVersion;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stores contain. Processes of other versions of Headgate read it, too. */
class StoredFormatsTest {

    private static final StoredVersion VERSION = new StoredVersion(
            new PolicyVersion("17-3c9f0b6a41de", Instant.parse("2026-11-27T10:02:11.402113Z"), "alice", "a sale"),
            "5f0c3e9a71d2b846",
            2,
            1_048_580);

    private static final String LINES =
            "17-3c9f0b6a41de\n2026-11-27T10:02:11.402113Z\nalice\na sale\n5f0c3e9a71d2b846\n2\n1048580";

    @Test
    void a_version_has_seven_lines() {
        assertThat(VERSION.encoded()).isEqualTo(LINES);
        assertThat(StoredVersion.decoded(LINES)).contains(VERSION);
        assertThat(VERSION.number()).isEqualTo(17);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "17-3c9f0b6a41de",
                "0\n2026-11-27T10:02:11Z\nalice\nwhy\nid\n2\n5",
                "1\nyesterday\nalice\nwhy\nid\n2\n5",
                "1\n2026-11-27T10:02:11Z\nalice\nwhy\nid\ntwo\n5"
            })
    void another_text_is_no_version(String text) {
        assertThat(StoredVersion.decoded(text)).isEmpty();
    }

    @Test
    void an_id_has_a_number_and_perhaps_a_digest() {
        assertThat(StoredVersion.Id.parse("17")).isEqualTo(new StoredVersion.Id(17, Optional.empty()));
        assertThat(StoredVersion.Id.parse("17-3c9f0b6a41de"))
                .isEqualTo(new StoredVersion.Id(17, Optional.of("17-3c9f0b6a41de")));
        for (String wrong : List.of("", "0", "-1", "1-", "1-3c9f", "1-3c9f0b6a41de\n", "1000000000000000")) {
            assertThatThrownBy(() -> StoredVersion.Id.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keys_are_in_the_order_of_the_numbers() {
        StoreKeys keys = StoreKeys.of("/", "shop");
        assertThat(keys.current()).isEqualTo("/shop/config/policies/current");
        assertThat(keys.version(17)).isEqualTo("/shop/config/policies/versions/000000000000017");
        assertThat(StoreKeys.of("", "shop").current()).isEqualTo("shop/config/policies/current");
        assertThat(keys.part(17, "5f0c3e9a71d2b846", 3))
                .isEqualTo("/shop/config/policies/texts/000000000000017-5f0c3e9a71d2b846/00003");
    }

    private static byte[] joined(List<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    @Test
    void texts_follow_their_size_and_name() {
        List<Text> texts = List.of(new Text("my limits.yaml", "é: 1\n\n"), new Text("b", ""));
        List<byte[]> parts = TextParts.encode(texts, 1 << 20);
        assertThat(parts).hasSize(1);
        assertThat(new String(parts.get(0), UTF_8)).isEqualTo("7 my limits.yaml\né: 1\n\n\n0 b\n\n");
        assertThat(TextParts.decode(parts.get(0))).contains(texts);
    }

    @Test
    void large_texts_are_cut_into_parts_of_a_size() {
        List<Text> texts = List.of(new Text("a", "é".repeat(1 << 20)), new Text("b", "c: 1\n"));
        List<byte[]> parts = TextParts.encode(texts, 1 << 20);
        assertThat(parts).extracting(part -> part.length).containsExactly(1 << 20, 1 << 20, 21);
        assertThat(TextParts.decode(joined(parts))).contains(texts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "7 a", "7 a\n", "2 a\nb\n", "1 a\nbc", "-1 a\nb\n", "x a\nb\n", "1 a\nb\nrest"})
    void other_bytes_are_no_texts(String bytes) {
        assertThat(TextParts.decode(bytes.getBytes(UTF_8))).isEmpty();
    }
}
