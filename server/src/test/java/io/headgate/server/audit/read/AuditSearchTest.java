package io.headgate.server.audit.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.AuditRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A search reads no more than it needs, in small pages. */
class AuditSearchTest {

    private static final AuditSearch ALL =
            new AuditSearch(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    private static final AuditSearch OF_MAILS =
            new AuditSearch(Optional.empty(), Optional.empty(), Optional.of("mails"), Optional.empty());

    /** 1000 records; every 100th is about mails. */
    private final List<AuditEntry> log = IntStream.range(0, 1_000)
            .mapToObj(i -> new AuditEntry(
                    (i + 1) + "-0",
                    AuditRecord.of(AuditAction.QUEUE_PAUSE, "http").withTarget(i % 100 == 0 ? "mails" : "other")))
            .toList();

    private final List<Integer> pages = new ArrayList<>();

    private List<AuditEntry> before(Optional<String> id, int max) {
        pages.add(max);
        int end = id.map(AuditSearchTest::place).orElse(log.size());
        return log.subList(Math.max(0, end - max), end);
    }

    private List<AuditEntry> after(Optional<String> id, int max) {
        pages.add(max);
        int start = id.map(AuditSearchTest::place).orElse(-1) + 1;
        return log.subList(Math.min(start, log.size()), Math.min(log.size(), start + max));
    }

    private static int place(String id) {
        return Integer.parseInt(id.substring(0, id.indexOf('-'))) - 1;
    }

    @Test
    void without_a_filter_one_page_of_the_needed_size_is_read() {
        AuditSearch.Found last = ALL.last(this::before, Optional.empty(), 2);
        assertThat(last.entries()).extracting(AuditEntry::id).containsExactly("999-0", "1000-0");
        assertThat(last.next()).isEqualTo("1000-0");
        assertThat(last.previous()).contains("999-0");
        assertThat(ALL.after(this::after, "0-0", 2).entries())
                .extracting(AuditEntry::id)
                .containsExactly("1-0", "2-0");
        assertThat(pages).containsExactly(3, 2);
    }

    @Test
    void a_page_is_small_and_the_search_ends_when_it_has_found_enough() {
        assertThat(OF_MAILS.last(this::before, Optional.empty(), 2).entries())
                .extracting(AuditEntry::id)
                .containsExactly("801-0", "901-0");
        assertThat(OF_MAILS.after(this::after, "0-0", 2).entries())
                .extracting(AuditEntry::id)
                .containsExactly("1-0", "101-0");
        assertThat(pages).hasSize(5).allSatisfy(size -> assertThat(size).isEqualTo(100));
    }

    @Test
    void a_search_for_many_reads_all_of_them_page_by_page() {
        assertThat(ALL.last(this::before, Optional.empty(), 500).entries()).isEqualTo(log.subList(500, 1_000));
        assertThat(ALL.after(this::after, "0-0", 500).entries()).isEqualTo(log.subList(0, 500));
        assertThat(OF_MAILS.last(this::before, Optional.empty(), 500).entries()).hasSize(10);
        assertThat(pages).allSatisfy(size -> assertThat(size).isEqualTo(100));
    }
}
