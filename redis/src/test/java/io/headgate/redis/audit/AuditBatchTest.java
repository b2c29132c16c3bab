package io.headgate.redis.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AuditBatchTest {

    private final List<AuditRecord> written = new CopyOnWriteArrayList<>();

    /** Writes only when a test flushes it. */
    private final AuditBatch batch = new AuditBatch(written::addAll, task -> {}, System::nanoTime);

    private static AuditRecord refund(String address, String policy) {
        return AuditRecord.of(AuditAction.LIMIT_REFUND, "http")
                .withFrom(address)
                .withTarget(policy);
    }

    @Test
    void equal_records_become_one_with_their_number_and_sum() {
        for (int i = 0; i < 10_000; i++) {
            batch.add(refund("192.0.2.7", "api"), "permits", 3);
        }
        batch.add(refund("192.0.2.8", "api"), "permits", 1);
        batch.flush();
        batch.flush();

        assertThat(written)
                .containsExactly(
                        refund("192.0.2.7", "api").withCount(10_000).withStates("", "{\"permits\":30000}"),
                        refund("192.0.2.8", "api").withStates("", "{\"permits\":1}"));
    }

    @Test
    void a_flood_of_different_records_is_counted_in_one() {
        for (int i = 0; i < 1_000; i++) {
            batch.add(refund("client-" + i, "api"), "permits", 2);
        }
        batch.add(AuditRecord.of(AuditAction.BAN_BEGIN, "rule").withTarget("ip=192.0.2.7"));
        batch.flush();

        assertThat(written).hasSize(AuditBatch.MAX_DISTINCT + 2);
        AuditRecord others = written.get(AuditBatch.MAX_DISTINCT);
        assertThat(others.count()).isEqualTo(1_000 - AuditBatch.MAX_DISTINCT);
        assertThat(others.after()).isEqualTo("{\"permits\":" + 2 * others.count() + "}");
        assertThat(others.from()).isEmpty();
        assertThat(written.get(written.size() - 1).target())
                .as("another action has room of its own")
                .isEqualTo("ip=192.0.2.7");
    }

    @Test
    void records_are_written_without_a_call_within_seconds() {
        AuditBatch timed = new AuditBatch(written::addAll);
        timed.add(refund("192.0.2.7", "api"));

        Await.until("a record", Duration.ofSeconds(60), () -> written.size() == 1);
        timed.add(refund("192.0.2.7", "api"));
        Await.until("the next record", Duration.ofSeconds(60), () -> written.size() == 2);
    }

    @Test
    void few_changes_are_written_at_once_and_a_flood_of_them_is_collected() {
        for (int i = 0; i < 1_000; i++) {
            batch.write(AuditRecord.of(AuditAction.BAN_ADD, "http")
                    .withOperator("ids", "operate")
                    .withTarget("ip=" + i));
        }
        assertThat(written).as("before the end of the second").hasSize(AuditBatch.MAX_AT_ONCE);
        batch.write(AuditRecord.of(AuditAction.BAN_ADD, "http").withOperator("ada", "operate"));
        batch.write(AuditRecord.of(AuditAction.QUEUE_PURGE, "http").withOperator("ids", "operate"));
        assertThat(written).as("another operator, and another action").hasSize(AuditBatch.MAX_AT_ONCE + 2);
        batch.flush();

        assertThat(written).hasSize(AuditBatch.MAX_AT_ONCE + 2 + AuditBatch.MAX_DISTINCT + 1);
        assertThat(written.stream().mapToLong(AuditRecord::count).sum()).isEqualTo(1_002);
        AuditRecord others = written.get(written.size() - 1);
        assertThat(others.detail()).isEqualTo("others in this second");
        assertThat(others.operator()).isEqualTo("ids");
        batch.write(AuditRecord.of(AuditAction.BAN_ADD, "http").withOperator("ids", "operate"));
        assertThat(written).as("in the next second").hasSize(AuditBatch.MAX_AT_ONCE + 2 + AuditBatch.MAX_DISTINCT + 2);
    }

    @Test
    void a_flood_of_calls_without_a_name_hides_no_refused_call_of_an_operator() {
        AuditRecord refused =
                AuditRecord.of(AuditAction.OPERATOR_REFUSED, "http").withOutcome("refused", "401");
        for (int i = 0; i < 1_000; i++) {
            batch.write(refused.withFrom("client-" + i));
        }
        AuditRecord ofViewer = refused.withOperator("vic", "view").withTarget("purge \"mails\"");
        batch.write(ofViewer);
        batch.flush();

        assertThat(written).contains(ofViewer);
    }

    @Test
    void records_of_many_threads_are_all_counted_once() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            String address = "client-" + t % 4;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    batch.add(refund(address, "api"), "permits", 2);
                    if (i % 1_000 == 0) {
                        batch.flush();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        batch.flush();

        Await.until("all records", Duration.ofSeconds(30), () -> calls(written) == 80_000);
        assertThat(written.stream()
                        .mapToLong(record -> Long.parseLong(record.after().replaceAll("\\D", "")))
                        .sum())
                .isEqualTo(160_000);
    }

    private static long calls(List<AuditRecord> records) {
        return records.stream().mapToLong(AuditRecord::count).sum();
    }

    @Test
    void a_write_that_could_not_be_scheduled_is_scheduled_again() {
        AtomicLong nanos = new AtomicLong();
        Deque<Runnable> scheduled = new ArrayDeque<>();
        AtomicBoolean refuses = new AtomicBoolean(true);
        AuditBatch broken = new AuditBatch(
                written::addAll,
                task -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("no thread");
                    }
                    scheduled.add(task);
                },
                nanos::get);
        assertThatThrownBy(() -> broken.add(refund("192.0.2.7", "api"))).hasMessage("no thread");
        refuses.set(false);
        broken.add(refund("192.0.2.7", "api"));
        assertThat(scheduled).isEmpty();

        nanos.set(Duration.ofSeconds(3).toNanos());
        broken.add(refund("192.0.2.7", "api"));
        assertThat(scheduled).hasSize(1);
        scheduled.remove().run();
        assertThat(calls(written)).isEqualTo(3);
    }

    @Test
    void a_write_has_at_most_as_many_records_as_one_call_of_the_log() {
        List<Integer> sizes = new ArrayList<>();
        AuditBatch sized = new AuditBatch(records -> sizes.add(records.size()), task -> {}, System::nanoTime);
        for (int i = 0; i < 1_200; i++) {
            sized.add(refund("client", "api")
                    .withOperator("operator-" + i % 30, "view")
                    .withTarget("t" + i));
        }
        sized.flush();

        assertThat(sizes).containsExactly(500, 500, 200);
    }
}
