package io.headgate.bench.hostile;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Pause;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.testkit.hostile.Attack;
import io.headgate.testkit.hostile.HostileClients;
import io.headgate.testkit.hostile.ProcessMemory;
import io.headgate.testkit.hostile.SecondClient;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Attacks on one server process, with a well-behaved second client beside them. */
final class HostileScenario implements Scenario {

    static final String NAME = "hostile";

    static final String HEAP = "HeapMegabytes";
    static final String DIRECT = "DirectMegabytes";
    static final String RESIDENT = "ResidentMegabytes";
    static final String EARLY = "early";
    static final String LATE = "late";
    static final String CONNECTIONS = "connections";
    static final String SENT = "sentMegabytes";
    static final String ANSWERED = "secondAnswered";
    static final String LOST = "secondLost";

    private static final double MEGABYTE = 1 << 20;

    /** The variation of a JVM's memory between two measurements without any load. */
    private static final double NOISE_MB = 8;

    private final Arena arena;
    private final List<Attack> attacks;

    HostileScenario(Arena arena, List<Attack> attacks) {
        this.arena = arena;
        this.attacks = attacks;
    }

    /** The figures of an attack: the memory does not grow, and the second client loses no request. */
    static List<Figure> figures(Attack attack) {
        String subject = subject(attack);
        return Stream.concat(
                        Stream.of(HEAP, DIRECT, RESIDENT)
                                .map(kind -> new Figure(
                                        subject + ": " + LATE + kind + " : " + EARLY + kind,
                                        growth(subject, kind),
                                        Reach.atMost(1.2))),
                        Stream.of(new Figure(
                                subject + ": requests that the second client lost",
                                Measure.most(NAME, LOST, subject),
                                Reach.atMost(0))))
                .toList();
    }

    private static Measure growth(String subject, String kind) {
        return readings -> {
            OptionalDouble early = readings.value(NAME, subject, EARLY + kind, 1);
            OptionalDouble late = readings.value(NAME, subject, LATE + kind, 1);
            return early.isEmpty() || late.isEmpty()
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Math.max(1, late.getAsDouble() - NOISE_MB) / Math.max(1, early.getAsDouble()));
        };
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public List<String> subjects() {
        return attacks.stream().map(HostileScenario::subject).toList();
    }

    @Override
    public Turns open() {
        return new OpenScenario();
    }

    private final class OpenScenario implements Turns {

        private final ServerUnderAttack server = ServerUnderAttack.start();

        @Override
        public void take(String subject, Recorder into) {
            Attack attack = attacks.get(subjects().indexOf(subject));
            Duration early = Duration.ofMillis(arena.pace().hostile().earlyMillis());
            Duration late = Duration.ofMillis(arena.pace().hostile().lateMillis());
            try (SecondClient second = SecondClient.start(server.address())) {
                try (HostileClients hostile = HostileClients.start(server.address(), attack)) {
                    Pause.of(early);
                    record(into, EARLY, server.memory());
                    Pause.of(late.minus(early));
                    record(into, LATE, server.memory());
                    into.add(CONNECTIONS, hostile.connections());
                    into.add(SENT, hostile.bytes() / MEGABYTE);
                }
                Pause.of(early);
                into.add(ANSWERED, second.answered());
                into.add(LOST, second.lost().size());
                second.lost().stream()
                        .findFirst()
                        .ifPresent(lost -> into.note("the second client lost a request: " + lost));
            }
        }

        private void record(Recorder into, String when, ProcessMemory memory) {
            into.add(when + HEAP, memory.heapBytes() / MEGABYTE);
            into.add(when + DIRECT, memory.directBytes() / MEGABYTE);
            into.add(when + RESIDENT, memory.residentBytes() / MEGABYTE);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** The name of an attack in tables. */
    static String subject(Attack attack) {
        return attack.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
