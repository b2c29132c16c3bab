package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoded invalidations are decoded unchanged, from messages of a bounded length; a malformed message is ignored. */
class InvalidationCodecTest {

    private static final Invalidation REFUND = new Invalidation.OfIds("hg:sw:api:per-user:", List.of("alice"), 1);

    @Provide
    Arbitrary<List<Invalidation>> invalidations() {
        Arbitrary<String> stem = Arbitraries.strings().alpha().withChars(":{}").ofMaxLength(200);
        Arbitrary<Invalidation> ofIds = Combinators.combine(
                        stem,
                        Arbitraries.strings()
                                .ofMinLength(1)
                                .ofMaxLength(128)
                                .list()
                                .ofMaxSize(8),
                        Arbitraries.longs().between(1, Long.MAX_VALUE))
                .as(Invalidation.OfIds::new);
        return Arbitraries.oneOf(ofIds, stem.map(Invalidation.OfRule::new))
                .list()
                .ofMaxSize(40);
    }

    @Property(tries = 300)
    void other_instances_decode_what_one_encodes_in_order_and_the_sender_ignores_it(
            @ForAll("invalidations") List<Invalidation> all) {
        List<Invalidation> pending = new ArrayList<>(all);
        List<Invalidation> decoded = new ArrayList<>();
        while (!pending.isEmpty()) {
            String message = InvalidationCodec.encode("me", pending.iterator());
            assertThat(message.length()).isLessThanOrEqualTo(InvalidationCodec.MAX_LENGTH);
            assertThat(InvalidationCodec.decode(message, "me")).isEmpty();
            decoded.addAll(InvalidationCodec.decode(message, "you"));
        }
        assertThat(decoded).isEqualTo(all);
    }

    @Property(tries = 1000)
    void any_text_is_decoded_without_an_exception(@ForAll String text) {
        assertThat(InvalidationCodec.decode(text, "you")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 129, 8000})
    void a_message_with_an_empty_or_too_long_id_is_ignored(int length) {
        String id = length + ":" + "i".repeat(length);
        assertThat(InvalidationCodec.decode("1:a1:s1 1 1:i1:s1 1 " + id, "you")).isEmpty();
    }

    @Test
    void the_format_is_as_documented_and_a_truncated_message_is_ignored() {
        String message = InvalidationCodec.encode("7f3a", new ArrayList<>(List.of(REFUND)).iterator());
        assertThat(message).isEqualTo("4:7f3a19:hg:sw:api:per-user:1 1 5:alice");
        for (int i = 0; i < message.length(); i++) {
            assertThat(InvalidationCodec.decode(message.substring(0, i), "you")).isEmpty();
        }
        assertThat(InvalidationCodec.decode("1:a" + "x".repeat(InvalidationCodec.MAX_LENGTH), "you"))
                .isEmpty();
        assertThat(InvalidationCodec.decode("1:a1:s1 9 " + "1:i".repeat(9), "you"))
                .isEmpty();
    }
}
