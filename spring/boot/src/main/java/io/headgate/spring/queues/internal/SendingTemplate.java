package io.headgate.spring.queues.internal;

import io.headgate.queues.Enqueued;
import io.headgate.queues.NewJob;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.NewEntry;
import io.headgate.spring.queues.QueueTemplate;
import io.headgate.spring.queues.internal.payloads.Payloads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sends jobs and entries with the trace context of the caller in their headers. */
final class SendingTemplate implements QueueTemplate {

    private final ApplicationQueues queues;
    private final Payloads payloads;
    private final JobObservations observations;
    private final AfterCommit afterCommit;

    /**
     * Creates a template.
     *
     * @param transactions sends after the commit of the current transaction, or immediately if there is none
     */
    SendingTemplate(
            ApplicationQueues queues,
            Payloads payloads,
            JobObservations observations,
            Consumer<Runnable> transactions) {
        this.queues = queues;
        this.payloads = payloads;
        this.observations = observations;
        this.afterCommit = new AfterCommit() {
            @Override
            public void enqueue(String queue, NewJob<?> job) {
                NewJob<byte[]> encoded = encoded(job);
                transactions.accept(() -> SendingTemplate.this.enqueue(queue, encoded));
            }

            @Override
            public void produce(String stream, NewEntry<?> entry) {
                NewEntry<byte[]> encoded = encoded(entry);
                transactions.accept(() -> SendingTemplate.this.produce(stream, encoded));
            }
        };
    }

    @Override
    public Enqueued enqueue(String queue, NewJob<?> job) {
        return enqueueAll(queue, List.of(job)).get(0);
    }

    @Override
    public CompletionStage<Enqueued> enqueueAsync(String queue, NewJob<?> job) {
        NewJob<byte[]> encoded = encoded(job);
        Map<String, String> trace = new LinkedHashMap<>();
        return observations.sendAsync(
                queue, trace, () -> queues.queue(queue).async().enqueue(traced(encoded, trace, NewJob::header)));
    }

    @Override
    public List<Enqueued> enqueueAll(String queue, Collection<? extends NewJob<?>> jobs) {
        List<NewJob<byte[]>> encoded = jobs.stream().map(this::encoded).toList();
        Map<String, String> trace = new LinkedHashMap<>();
        return observations.send(queue, trace, () -> queues.queue(queue)
                .enqueueAll(all(encoded, job -> traced(job, trace, NewJob::header))));
    }

    @Override
    public EntryId produce(String stream, NewEntry<?> entry) {
        return produceAll(stream, List.of(entry)).get(0);
    }

    @Override
    public CompletionStage<EntryId> produceAsync(String stream, NewEntry<?> entry) {
        NewEntry<byte[]> encoded = encoded(entry);
        Map<String, String> trace = new LinkedHashMap<>();
        return observations.sendAsync(
                stream, trace, () -> queues.stream(stream).async().produce(traced(encoded, trace, NewEntry::header)));
    }

    @Override
    public List<EntryId> produceAll(String stream, Collection<? extends NewEntry<?>> entries) {
        List<NewEntry<byte[]>> encoded = entries.stream().map(this::encoded).toList();
        Map<String, String> trace = new LinkedHashMap<>();
        return observations.send(stream, trace, () -> queues.stream(stream)
                .produceAll(all(encoded, entry -> traced(entry, trace, NewEntry::header))));
    }

    @Override
    public AfterCommit afterCommit() {
        return afterCommit;
    }

    private NewJob<byte[]> encoded(NewJob<?> job) {
        return new NewJob<>(
                payloads.toBytes(job.payload()),
                job.due(),
                job.priority(),
                job.key(),
                job.headers(),
                job.group(),
                job.tenant());
    }

    private NewEntry<byte[]> encoded(NewEntry<?> entry) {
        return new NewEntry<>(payloads.toBytes(entry.payload()), entry.key(), entry.headers());
    }

    /** Adds a header. */
    private interface Header<T> {
        T add(T to, String name, String value);
    }

    /** Adds the headers of a trace, unless the job would then have too many or too long ones. */
    private static <T> T traced(T job, Map<String, String> trace, Header<T> header) {
        T traced = job;
        try {
            for (Map.Entry<String, String> entry : trace.entrySet()) {
                traced = header.add(traced, entry.getKey(), entry.getValue());
            }
            return traced;
        } catch (IllegalArgumentException e) {
            return job;
        }
    }

    private static <T> List<T> all(List<T> from, Function<T, T> change) {
        List<T> changed = new ArrayList<>(from.size());
        from.forEach(one -> changed.add(change.apply(one)));
        return changed;
    }
}
