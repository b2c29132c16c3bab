package io.headgate.server.queues.cli;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.queues.InstantOption;
import io.headgate.server.queues.PriorityOption;
import io.headgate.server.queues.QueueJson;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headgate queue enqueue}. */
@Command(
        name = "enqueue",
        description = "Enqueues a job, or one for each line of a text, and prints the id of a single one.",
        footer = {
            "",
            "A TIME is a whole number and its unit, such as 30s, 5m, 2h or 3d.",
            "Exit codes: 0 done, 1 failed, 2 wrong command line."
        })
final class QueueEnqueueCommand extends QueueChangeCommand {

    /** The character with which the JVM replaces bytes that it cannot decode. */
    private static final char REPLACEMENT = '\uFFFD';

    @Parameters(
            paramLabel = "PAYLOAD",
            index = "1",
            arity = "0..1",
            description = "The payload, as text of up to 256 KiB; - reads it from standard input.")
    private Optional<String> payload = Optional.empty();

    @Option(names = "--file", paramLabel = "FILE", description = "Read the payload from this file, unchanged.")
    private Optional<Path> file = Optional.empty();

    @Option(names = "--lines", description = "Enqueue each line of the file, or of standard input, as a job.")
    private boolean lines;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            converter = DurationOption.OfDelay.class,
            description = "Due after this delay, from 0ms to 3660d; immediately by default.")
    private Optional<Duration> delay = Optional.empty();

    @Option(
            names = "--at",
            paramLabel = "INSTANT",
            converter = InstantOption.class,
            description = "Due at this time, such as 2030-12-24T18:00:00Z or 2030-12-24T18:00:00+01:00.")
    private Optional<Instant> at = Optional.empty();

    @Option(
            names = "--priority",
            paramLabel = "LEVEL",
            converter = PriorityOption.class,
            description = "high, normal or low; normal by default.")
    private Priority priority = Priority.NORMAL;

    @Option(
            names = "--once",
            paramLabel = "KEY",
            description = "Do not add the job if another job with this key waits, is claimed, or is done and kept.")
    private Optional<String> once = Optional.empty();

    @Option(names = "--replacing", paramLabel = "KEY", description = "Replace the waiting job with this key.")
    private Optional<String> replacing = Optional.empty();

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "A header of the job; once for each, up to 64.")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description = "The grouping key, which selects the shard; a KEY is unique within the group.")
    private Optional<String> group = Optional.empty();

    @Option(
            names = "--tenant",
            paramLabel = "TENANT",
            description = "The tenant: workers claim the jobs of all tenants in turn; a KEY is unique within a tenant.")
    private Optional<String> tenant = Optional.empty();

    @Mixin
    private DryRun dryRun = new DryRun();

    @Override
    void check() {
        if (payload.isPresent() == file.isPresent()) {
            throw wrong("give either PAYLOAD (- for standard input) or --file FILE");
        }
        if (delay.isPresent() && at.isPresent()) {
            throw wrong("give either --delay TIME or --at INSTANT");
        }
        if (once.isPresent() && replacing.isPresent()) {
            throw wrong("give either --once KEY or --replacing KEY");
        }
        if (lines && (once.isPresent() || replacing.isPresent())) {
            throw wrong("--lines enqueues several jobs, and a key belongs to one: omit --once and --replacing");
        }
        if (lines && payload.isPresent() && !payload.get().equals("-")) {
            throw wrong("--lines takes its lines from --file FILE or from standard input (-)");
        }
        payload.ifPresent(text -> requireUtf8("PAYLOAD", text));
        once.or(() -> replacing).ifPresent(key -> requireUtf8("KEY", key));
        group.ifPresent(name -> requireUtf8("GROUP", name));
        headers.forEach((name, value) -> requireUtf8("--header", name + value));
        job(new byte[0]); // throws if an option is invalid
    }

    /** The JVM replaces arguments that are not text of the locale by U+FFFD, so their bytes are lost. */
    private void requireUtf8(String what, String argument) {
        if (argument.indexOf(REPLACEMENT) >= 0
                || !StandardCharsets.UTF_8.newEncoder().canEncode(argument)) {
            throw wrong(
                    what + " is not text in UTF-8; check the bytes and the locale (such as LC_ALL=C.UTF-8), or give a"
                            + " payload by --file FILE or standard input (-), which takes the bytes unchanged");
        }
    }

    @Override
    boolean changes() {
        return !dryRun.isOn();
    }

    @Override
    int change(QueueEngine queues) {
        JobQueue<byte[]> queue = queue(queues);
        PayloadSource source = new PayloadSource(payload, file);
        if (lines) {
            return enqueueLines(queue, source);
        }
        byte[] bytes = source.all();
        if (dryRun.isOn()) {
            Map<String, Object> members = members();
            members.put("wouldEnqueue", 1);
            members.put("payloadBytes", bytes.length);
            return output(
                    members,
                    List.of("would enqueue a job of " + Words.count(Words.whole(bytes.length), "byte") + " in "
                            + name()));
        }
        Enqueued enqueued =
                recorded(ofQueue(AuditAction.JOB_ENQUEUE, "enqueue"), () -> queue.enqueue(job(bytes)), this::outcome);
        if (enqueued.outcome() == Enqueued.Outcome.SAME) {
            err().println("headgate: skipped: a job with key "
                    + once.map(Quoted::of).orElse("") + " exists, and this is its id");
        }
        Map<String, Object> members = members();
        members.putAll(QueueJson.enqueued(enqueued));
        return output(members, List.of(enqueued.id().value()));
    }

    private int enqueueLines(JobQueue<byte[]> queue, PayloadSource source) {
        Progress progress = new Progress(err(), "enqueued", "job");
        JobBatch batch = new JobBatch(jobs -> {
            if (!dryRun.isOn()) {
                queue.enqueueAll(jobs);
            }
            progress.add(jobs.size());
        });
        // Opens the file before the change, because a missing file is not a failed change.
        Runnable reading = source.eachLine(line -> batch.add(job(line)));
        Runnable enqueuing = () -> {
            reading.run();
            batch.send();
        };
        if (dryRun.isOn()) {
            progress.run(enqueuing);
        } else {
            recorded(
                    ofQueue(AuditAction.JOB_ENQUEUE, "enqueue"),
                    progress,
                    enqueuing,
                    QueueEnqueueCommand::enqueued,
                    this::audited);
        }
        long count = progress.done();
        Map<String, Object> members = members();
        members.put(dryRun.isOn() ? "wouldEnqueue" : "enqueued", count);
        return output(
                members,
                List.of((dryRun.isOn() ? "would enqueue " : "enqueued ") + Words.count(Words.whole(count), "job")
                        + " in " + name()));
    }

    private CommandAudit.Outcome outcome(Enqueued enqueued) {
        return enqueued.outcome() == Enqueued.Outcome.SAME
                ? new CommandAudit.Outcome(false, enqueued(0) + ", skipped 1 with an existing key", audited(0))
                : new CommandAudit.Outcome(true, enqueued(1), audited(1));
    }

    private AuditedChange audited(long count) {
        return AuditedChange.of(name()).to(Map.of("jobs", count));
    }

    private static String enqueued(long count) {
        return "enqueued " + Words.count(count, "job");
    }

    private NewJob<byte[]> job(byte[] bytes) {
        NewJob<byte[]> job = new NewJob<>(
                bytes,
                new NewJob.After(delay.orElse(Duration.ZERO)),
                priority,
                Optional.empty(), // the key is set below
                headers,
                group,
                tenant);
        if (at.isPresent()) {
            job = job.at(at.get());
        }
        if (once.isPresent()) {
            return job.once(once.get());
        }
        return replacing.isPresent() ? job.replacing(replacing.get()) : job;
    }
}
