package io.headgate.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Another program rotates or removes the file of the audit log, or the disk is slow. */
class AuditFileTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Logger files = (Logger) LoggerFactory.getLogger(AuditFile.class);
    private final Logger audits = (Logger) LoggerFactory.getLogger(ServerAudit.class);
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @BeforeEach
    void listen() {
        written.start();
        files.addAppender(written);
        audits.addAppender(written);
    }

    @AfterEach
    void stopListening() {
        files.detachAppender(written);
        audits.detachAppender(written);
    }

    private static AuditRecord pause(String queue) {
        return AuditRecord.of(AuditAction.QUEUE_PAUSE, "http").withTarget(queue);
    }

    private static long count(Path file) {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String targets(Path file) throws IOException {
        return String.join(
                " ",
                Files.readAllLines(file).stream()
                        .map(line -> line.replaceAll(".*\"target\":\"([^\"]*)\".*", "$1"))
                        .toList());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_file_that_is_renamed_deleted_or_replaced_loses_no_record() throws IOException {
        Path path = folder.resolve("audit.jsonl");
        Path rotated = folder.resolve("audit.jsonl.1");
        try (AuditFile file = AuditFile.open(path, "--audit-log")) {
            file.append(pause("a"));
            file.append(pause("b"));
            assertThat(written.list).isEmpty();
            Files.move(path, rotated);
            file.append(pause("c"));
            file.append(pause("d"));
            assertThat(targets(rotated)).isEqualTo("a b");
            assertThat(targets(path)).isEqualTo("c d");

            Files.delete(path);
            file.append(pause("e"));
            assertThat(targets(path)).isEqualTo("e");

            Files.move(path, rotated.resolveSibling("audit.jsonl.2"));
            Files.writeString(path, "before\n");
            file.append(pause("f"));
            assertThat(targets(path)).isEqualTo("before f");
        }
        assertThat(written.list).hasSize(3).allSatisfy(line -> assertThat(line.getFormattedMessage())
                .isEqualTo("the audit log \"" + path + "\" was moved, deleted or replaced, and is open again"));
    }

    @Test
    void a_slow_disk_delays_no_call_and_loses_records_with_one_warning() throws IOException {
        Path path = folder.resolve("audit.jsonl");
        AuditFile file = AuditFile.open(path, "--audit-log");
        try (ServerAudit audit = new ServerAudit(Optional.of(file), Optional.empty())) {
            synchronized (file) { // so that the thread of the disk waits
                for (int i = 0; i < 3_000; i++) {
                    audit.write(pause("q" + i).withOperator("operator-" + i, "operate"));
                }
            }
            Await.until("the records", LONG, () -> count(path) >= 1_000);
        }

        assertThat(Files.readAllLines(path)).hasSizeBetween(1_000, 1_001);
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("the audit log in ") && line.contains("too slow"))
                .containsExactly("the audit log in \"" + path + "\" lacks records: the disk is too slow");
    }

    @Test
    @SuppressWarnings("NullAway") // a fault, such as an exhausted memory, in the log
    void a_fault_of_the_log_fails_no_call() {
        try (ServerAudit audit = new ServerAudit(Optional.empty(), Optional.empty())) {
            audit.write(null);
            audit.write(null, "permits", 1);
        }
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("the audit log lacks records", "the audit log lacks records");
    }

    @Test
    void an_interrupted_end_loses_no_record_and_leaves_no_open_file() throws IOException {
        Path path = folder.resolve("audit.jsonl");
        AuditFile file = AuditFile.open(path, "--audit-log");
        ServerAudit audit = new ServerAudit(Optional.of(file), Optional.empty());
        synchronized (file) { // so that the thread of the disk waits
            audit.write(pause("mails"));
            Thread.currentThread().interrupt();
            audit.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(count(path)).isZero();
        }

        Await.until("the end of the file", LONG, file::isClosed);
        assertThat(targets(path)).isEqualTo("mails");
    }

    @Test
    void records_after_the_end_do_not_blame_the_disk() throws IOException {
        ServerAudit audit = new ServerAudit(
                Optional.of(AuditFile.open(folder.resolve("audit.jsonl"), "--audit-log")), Optional.empty());
        audit.close();
        audit.write(pause("mails"));

        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .endsWith(" lacks records: the server has stopped");
    }
}
