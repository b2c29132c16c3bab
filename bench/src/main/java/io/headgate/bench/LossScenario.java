package io.headgate.bench;

import io.headgate.queues.QueueSettings;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.List;

/** What of a queue is lost when servers are killed, by what was lost and how safe an answer is to be: the loss matrix. */
final class LossScenario implements Scenario {

    static final String NAME = "losses";
    static final String KILLS = "kills";

    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final List<Safety> COLUMNS = List.of(Safety.values());

    private final Arena arena;
    private final List<Cell> cells;

    LossScenario(Arena arena, List<LossCase> rows) {
        this.arena = arena;
        boolean confirmsFiles = confirmsFiles(arena.probe());
        this.cells = rows.stream()
                .flatMap(row -> COLUMNS.stream()
                        .filter(safety -> !row.absent().containsKey(safety))
                        .filter(safety -> safety != Safety.FILE || confirmsFiles)
                        .map(safety -> new Cell(row, safety)))
                .toList();
    }

    private record Cell(LossCase row, Safety safety) {

        String subject() {
            return row.subject(safety);
        }
    }

    /** Whether it has WAITAOF: Redis from 7.2 on, and Valkey. */
    static boolean confirmsFiles(RedisProbe probe) {
        return probe.command("COMMAND", "INFO", "WAITAOF") instanceof List<?> told && told.get(0) instanceof List<?>;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rounds() {
        return arena.pace().faults().rounds();
    }

    @Override
    public List<String> subjects() {
        return cells.stream().map(Cell::subject).toList();
    }

    @Override
    public Turns open() {
        return new Turns() {

            @Override
            public void take(String subject, Recorder into) {
                cells.stream()
                        .filter(each -> each.subject().equals(subject))
                        .forEach(one -> run(one.row, one.safety, into));
            }

            @Override
            public void close() {}
        };
    }

    /** Fills one cell. */
    static void run(LossCase row, Safety safety, Recorder into) {
        QueueSettings settings =
                QueueSettings.of("losses").withShards(row.shards()).withDurability(safety.durability(row.replicated()));
        boolean mayLose = !row.lossless().contains(safety);
        into.add(KILLS, row.kills());
        JobTrial.run(row.done(), new JobTrial.Plan(settings, BEFORE, Duration.ZERO, List.of(), mayLose), into);
    }
}
