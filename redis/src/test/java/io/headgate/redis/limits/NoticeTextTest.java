package io.headgate.redis.limits;

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

/** What is written is read, in notices of a bounded length; what is none is nothing. */
class NoticeTextTest {

    private static final News NEWS = new News.Freed("hg:sw:api:per-user:", List.of("alice"), 1);

    @Provide
    Arbitrary<List<News>> news() {
        Arbitrary<String> stem = Arbitraries.strings().alpha().withChars(":{}").ofMaxLength(200);
        Arbitrary<News> freed = Combinators.combine(
                        stem,
                        Arbitraries.strings()
                                .ofMinLength(1)
                                .ofMaxLength(128)
                                .list()
                                .ofMaxSize(8),
                        Arbitraries.longs().between(1, Long.MAX_VALUE))
                .as(News.Freed::new);
        return Arbitraries.oneOf(freed, stem.map(News.Changed::new)).list().ofMaxSize(40);
    }

    @Property(tries = 300)
    void what_is_written_is_read_in_order_by_others_and_not_by_who_wrote_it(@ForAll("news") List<News> all) {
        List<News> waiting = new ArrayList<>(all);
        List<News> read = new ArrayList<>();
        while (!waiting.isEmpty()) {
            String notice = NoticeText.write("me", waiting.iterator());
            assertThat(notice.length()).isLessThanOrEqualTo(NoticeText.MAX_LENGTH);
            assertThat(NoticeText.read(notice, "me")).isEmpty();
            read.addAll(NoticeText.read(notice, "you"));
        }
        assertThat(read).isEqualTo(all);
    }

    @Property(tries = 1000)
    void any_text_is_read_without_harm(@ForAll String text) {
        assertThat(NoticeText.read(text, "you")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 129, 8000})
    void a_notice_with_an_id_that_no_instance_tells_is_none(int length) {
        String id = length + ":" + "i".repeat(length);
        assertThat(NoticeText.read("1:a1:s1 1 1:i1:s1 1 " + id, "you")).isEmpty();
    }

    @Test
    void it_is_as_documented_and_a_part_of_it_is_nothing() {
        String notice = NoticeText.write("7f3a", new ArrayList<>(List.of(NEWS)).iterator());
        assertThat(notice).isEqualTo("4:7f3a19:hg:sw:api:per-user:1 1 5:alice");
        for (int i = 0; i < notice.length(); i++) {
            assertThat(NoticeText.read(notice.substring(0, i), "you")).isEmpty();
        }
        assertThat(NoticeText.read("1:a" + "x".repeat(NoticeText.MAX_LENGTH), "you"))
                .isEmpty();
        assertThat(NoticeText.read("1:a1:s1 9 " + "1:i".repeat(9), "you")).isEmpty();
    }
}
