package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Scenario.Trials;
import io.headgate.queues.QueueSettings;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What of a queue is lost when servers are killed, by what was lost and how safe an answer is to be: the loss matrix. */
final class LossScenario {

    static final String NAME = "losses";
    static final String KILLS = "kills";

    private static final Duration BEFORE = Duration.ofSeconds(1);

    private LossScenario() {}

    static Scenario of(Arena arena, List<LossCase> rows) {
        boolean confirmsFiles = confirmsFiles(arena.probe());
        Map<String, Consumer<Recorder>> cells = new LinkedHashMap<>();
        for (LossCase row : rows) {
            for (Safety safety : Safety.values()) {
                if (!row.absent().containsKey(safety) && (safety != Safety.FILE || confirmsFiles)) {
                    cells.put(row.subject(safety), into -> run(row, safety, into));
                }
            }
        }
        return new Trials(arena, NAME, cells);
    }

    /** Whether it has WAITAOF: Redis from 7.2 on, and Valkey. */
    static boolean confirmsFiles(RedisProbe probe) {
        return probe.command("COMMAND", "INFO", "WAITAOF") instanceof List<?> told && told.get(0) instanceof List<?>;
    }

    /** Fills one cell. */
    static void run(LossCase row, Safety safety, Recorder into) {
        QueueSettings settings =
                QueueSettings.of("losses").withShards(row.shards()).withDurability(safety.durability(row.replicated()));
        boolean mayLose = !row.lossless().contains(safety);
        into.add(KILLS, row.kills());
        JobTrial.Plan plan = new JobTrial.Plan(settings, safety.lease(), BEFORE, Duration.ZERO, List.of(), mayLose);
        JobTrial.run(row.done(), plan, into);
    }
}
