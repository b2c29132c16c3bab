package io.headgate.spring.queues.internal;

import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.StreamState;
import io.headgate.spring.internal.QueueStates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Counts the queues and streams that the application has used, and reports the states of its listeners. All counts are read at the same
 * time, so that a Redis that does not reply delays the report only once. Others are not opened for a report, since that may create the
 * engine, or wait for the durability of a queue.
 */
final class QueueReport implements QueueStates {

    /** The most queues, and the most streams, that are counted. */
    private static final int MAX_COUNTED = 100;

    /** Longer than the timeout of calls, by default: a queue with several shards makes several. */
    private static final long MAX_SECONDS = 2;

    private final ApplicationQueues queues;
    private final ListenerRegistry listeners;

    QueueReport(ApplicationQueues queues, ListenerRegistry listeners) {
        this.queues = queues;
        this.listeners = listeners;
    }

    @Override
    public Map<String, Object> members() {
        SortedSet<String> queueNames = new TreeSet<>(queues.openQueues());
        SortedSet<String> streamNames = new TreeSet<>(queues.openStreams());
        List<CompletableFuture<Map<String, Object>>> ofQueues = read(
                "queue", queueNames, name -> queues.queue(name).async().counts().thenApply(QueueReport::queue));
        List<CompletableFuture<Map<String, Object>>> ofStreams = read(
                "stream",
                streamNames,
                name -> queues.stream(name).async().state().thenApply(QueueReport::stream));
        Map<String, Object> members = new LinkedHashMap<>();
        add(members, "queues", ofQueues, "otherQueues", queueNames.size());
        add(members, "streams", ofStreams, "otherStreams", streamNames.size());
        List<Map<String, Object>> states =
                listeners.containers().stream().map(QueueReport::listener).toList();
        if (!states.isEmpty()) {
            members.put("listeners", states);
        }
        return members;
    }

    private static List<CompletableFuture<Map<String, Object>>> read(
            String kind, SortedSet<String> names, Function<String, CompletionStage<Map<String, Object>>> reading) {
        return names.stream()
                .limit(MAX_COUNTED)
                .map(name -> started(name, reading)
                        .orTimeout(MAX_SECONDS, TimeUnit.SECONDS)
                        .handle((read, problem) -> {
                            Map<String, Object> members = new LinkedHashMap<>();
                            members.put(kind, name);
                            members.putAll(problem == null ? read : Map.of("problem", text(problem)));
                            return members;
                        }))
                .toList();
    }

    /** A closed engine fails at once. */
    private static CompletableFuture<Map<String, Object>> started(
            String name, Function<String, CompletionStage<Map<String, Object>>> reading) {
        try {
            return reading.apply(name).toCompletableFuture().copy();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String text(Throwable problem) {
        Throwable cause = problem.getCause() == null ? problem : problem.getCause();
        return cause instanceof TimeoutException
                ? "no reply within " + MAX_SECONDS + " s"
                : String.valueOf(cause.getMessage());
    }

    private static void add(
            Map<String, Object> members,
            String name,
            List<CompletableFuture<Map<String, Object>>> counted,
            String others,
            int all) {
        if (counted.isEmpty()) {
            return;
        }
        members.put(name, counted.stream().map(CompletableFuture::join).toList());
        if (all > counted.size()) {
            members.put(others, all - counted.size());
        }
    }

    private static Map<String, Object> queue(QueueCounts counts) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("ready", counts.ready());
        members.put("delayed", counts.delayed());
        members.put("leased", counts.leased());
        members.put("dead", counts.dead());
        members.put("done", counts.done());
        counts.oldestDue().ifPresent(late -> members.put("oldestDueSeconds", late.toSeconds()));
        members.put("paused", counts.paused());
        return members;
    }

    private static Map<String, Object> stream(StreamState state) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("length", state.length());
        List<Map<String, Object>> groups = new ArrayList<>();
        for (StreamState.Group group : state.groups()) {
            Map<String, Object> of = new LinkedHashMap<>();
            of.put("group", group.name());
            group.lag().ifPresent(lag -> of.put("lag", lag));
            of.put("pending", group.pending());
            of.put("consumers", group.consumers().size());
            groups.add(of);
        }
        members.put("groups", groups);
        return members;
    }

    private static Map<String, Object> listener(ListenerContainer listener) {
        ListenerSpec spec = listener.spec();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", spec.id());
        members.put(spec.group().isPresent() ? "stream" : "queue", spec.source());
        spec.group().ifPresent(group -> members.put("group", group));
        members.put("state", listener.state().name().toLowerCase(Locale.ROOT));
        members.put("concurrency", spec.concurrency());
        return members;
    }
}
