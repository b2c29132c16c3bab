package io.headgate.bench.faults;

import io.headgate.bench.faults.LossCase.Safety;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.report.Report.Overview;
import io.headgate.bench.report.TextTable;
import io.headgate.bench.report.TextTable.Numbers;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Scenario.Trials;
import io.headgate.queues.QueueSettings;
import io.headgate.testkit.RedisProbe;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The loss matrix: the jobs that a queue loses when servers are killed, by the kind of kill and the durability. */
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
                if (!row.impossible().containsKey(safety) && (safety != Safety.FILE || confirmsFiles)) {
                    cells.put(row.subject(safety), into -> run(row, safety, into));
                }
            }
        }
        return new Trials(arena, NAME, cells);
    }

    /** Whether the server has the command WAITAOF: Redis from 7.2 on, and Valkey. */
    static boolean confirmsFiles(RedisProbe probe) {
        return probe.command("COMMAND", "INFO", "WAITAOF") instanceof List<?> commands
                && commands.get(0) instanceof List<?>;
    }

    /** Fills one cell. */
    static void run(LossCase row, Safety safety, Recorder into) {
        QueueSettings settings =
                QueueSettings.of("losses").withShards(row.shards()).withDurability(safety.durability(row.replicated()));
        boolean mayLose = !row.lossless().contains(safety);
        into.add(KILLS, row.kills());
        JobTrial.Plan plan = new JobTrial.Plan(settings, safety.lease(), BEFORE, Duration.ZERO, List.of(), mayLose);
        JobTrial.run(row.killFault(), plan, into);
    }

    /** Prints the loss matrix: the number of lost jobs and of all jobs with an answered enqueue, over all rounds. */
    record LossMatrix(List<LossCase> rows) implements Overview {

        @Override
        public void print(Readings readings, PrintWriter out) {
            if (!readings.scenarios().contains(LossScenario.NAME)) {
                return;
            }
            TextTable table = new TextTable(
                    List.of("killed"),
                    Stream.of(Safety.values()).map(Safety::label).toList());
            for (LossCase row : rows) {
                List<String> cells = new ArrayList<>(List.of(row.name()));
                Stream.of(Safety.values()).forEach(safety -> cells.add(cell(readings, row, safety)));
                table.add(cells);
            }
            out.println();
            out.println("lost jobs of all jobs with an answered enqueue, by the durability of the queue");
            table.print(out);
        }

        private static String cell(Readings readings, LossCase row, Safety safety) {
            OptionalDouble lost = sum(readings, row.subject(safety), JobTrial.LOST);
            if (lost.isEmpty()) {
                return row.impossible()
                        .getOrDefault(safety, safety == Safety.FILE && lacksWaitAof(readings) ? "no WAITAOF here" : "");
            }
            double answered =
                    sum(readings, row.subject(safety), JobTrial.ANSWERED).orElse(0);
            return Numbers.cell(lost.getAsDouble()) + " of " + Numbers.cell(answered);
        }

        /** Whether no row has a value in this column, which means that the server has no WAITAOF. */
        private static boolean lacksWaitAof(Readings readings) {
            return readings.subjects(LossScenario.NAME).stream()
                    .noneMatch(subject -> subject.endsWith(": " + Safety.FILE.label()));
        }

        private static OptionalDouble sum(Readings readings, String subject, String metric) {
            return Measure.sum(LossScenario.NAME, metric, each -> each.equals(subject))
                    .in(readings);
        }
    }
}
