package io.headgate.server.queues.cli;

import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.queues.QueueJson;
import io.headgate.server.text.Table;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Command;

/** {@code headgate queue ls}. */
@Command(name = "ls", description = "Lists all queues with their number of jobs in each state.")
final class QueueLsCommand extends QueueSubcommand {

    /** The number of queues that are read at the same time. */
    private static final int MAX_CONCURRENT_READS = 1000;

    @Override
    int run(QueueEngine queues) {
        List<String> names = queues.names();
        Map<String, QueueCounts> all = new LinkedHashMap<>();
        Map<String, String> unreadable = new LinkedHashMap<>();
        for (int from = 0; from < names.size(); from += MAX_CONCURRENT_READS) {
            List<String> some = names.subList(from, Math.min(names.size(), from + MAX_CONCURRENT_READS));
            OperatedQueues.Listing listing = OperatedQueues.await(OperatedQueues.counts(queues, some));
            all.putAll(listing.counts());
            unreadable.putAll(listing.unreadable());
        }
        List<Map<String, Object>> json = new ArrayList<>();
        all.forEach((name, counts) -> json.add(QueueJson.counts(name, counts)));
        unreadable.forEach((name, problem) -> json.add(QueueJson.unreadable(name, problem)));
        List<String> lines = lines(all, unreadable.isEmpty());
        unreadable.forEach((name, problem) -> lines.add("problem  queue " + name + ": " + problem));
        return output(Map.of("queues", json), lines);
    }

    /** The table of the readable queues; {@code areAll} is false if others could not be read. */
    private static List<String> lines(Map<String, QueueCounts> all, boolean areAll) {
        if (all.isEmpty()) {
            return new ArrayList<>(areAll ? List.of("no queue under this key prefix") : List.of());
        }
        Table table = new Table()
                .words("queue")
                .numbers("ready")
                .numbers("delayed")
                .numbers("leased")
                .numbers("dead")
                .numbers("done")
                .numbers("oldest due")
                .words("paused");
        all.forEach((name, counts) -> table.row(QueueText.row(name, counts)));
        List<String> lines = new ArrayList<>(table.lines());
        lines.add("");
        lines.add(Words.count(all.size(), "queue") + ": " + sum(all, QueueCounts::ready) + " ready, "
                + sum(all, QueueCounts::delayed) + " delayed, " + sum(all, QueueCounts::leased) + " leased, "
                + sum(all, QueueCounts::dead) + " dead, " + sum(all, QueueCounts::done) + " done");
        return lines;
    }

    private static String sum(Map<String, QueueCounts> all, ToLongFunction<QueueCounts> count) {
        return Words.whole(all.values().stream().mapToLong(count).sum());
    }
}
