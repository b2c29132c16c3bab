package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.StartException;
import io.headgate.server.queues.QueueChange;
import io.headgate.server.queues.Rate;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate queue redrive}. */
@Command(
        name = "redrive",
        description = "Returns dead letters to the queue, the oldest first, with their attempts and crashes reset.")
final class QueueRedriveCommand extends QueueChangeCommand {

    @Mixin
    private JobCountOptions howMany = new JobCountOptions();

    @Option(
            names = "--per-second",
            paramLabel = "R",
            converter = Rate.Option.class,
            description =
                    "Redrive at most this number per second, from 0.001 to 1000000; all immediately by default. With more than 500 jobs, the command waits between batches of 500.")
    private Optional<Rate> perSecond = Optional.empty();

    @Mixin
    private DryRun dryRun = new DryRun();

    @Override
    void check() {
        howMany.check();
    }

    private Rate rate() {
        return perSecond.orElse(Rate.UNBOUNDED);
    }

    @Override
    boolean changes() {
        return !dryRun.isOn();
    }

    @Override
    int change(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        long dead = queue.counts().dead();
        long total = howMany.of(dead);
        if (dryRun.isOn()) {
            return output(
                    members("wouldRedrive", total),
                    List.of("would redrive " + Words.count(Words.whole(total), "dead letter") + " of " + name()));
        }
        Progress progress = new Progress(err(), "redrove", "dead letter");
        long done = recorded(
                ofQueue(AuditAction.QUEUE_REDRIVE, "redrive"),
                progress,
                () -> redrive(queue, total, progress),
                count -> "redriven " + Words.count(count, "dead letter"),
                count -> QueueChange.redriven(name(), count, Math.max(0, dead - count)));
        return output(
                members("redriven", done),
                List.of("redrove " + Words.count(Words.whole(done), "dead letter") + " of " + name()));
    }

    /** Redrives at most the number that existed at the start. Otherwise, a job that fails again would be redriven endlessly. */
    private void redrive(JobQueue<byte[]> queue, long total, Progress progress) {
        Rate rate = rate();
        while (progress.done() < total) {
            int most = (int) Math.min(QueueSettings.MAX_BATCH, total - progress.done());
            int redriven = queue.deadLetters().redriveOldest(most, rate.spacing());
            if (redriven == 0) {
                return;
            }
            progress.add(redriven);
            if (progress.done() < total) {
                Duration pause = rate.timeOf(redriven);
                progress.beforePause(pause);
                sleep(pause.toMillis());
            }
        }
    }

    /** Waits until the jobs of this batch are due, so that the next batch does not exceed the rate. */
    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StartException.failed("interrupted");
        }
    }

    private Map<String, Object> members(String what, long count) {
        Map<String, Object> members = members();
        members.put(what, count);
        return members;
    }
}
