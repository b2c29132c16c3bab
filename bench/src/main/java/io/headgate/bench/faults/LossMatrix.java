package io.headgate.bench.faults;

import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Report.Overview;
import io.headgate.bench.report.TextTable;
import io.headgate.bench.report.TextTable.Numbers;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The loss matrix: how many jobs were lost of those that were answered, over all rounds. */
record LossMatrix(List<LossCase> rows) implements Overview {

    @Override
    public void print(Readings readings, PrintWriter out) {
        if (!readings.scenarios().contains(LossScenario.NAME)) {
            return;
        }
        TextTable table = new TextTable(
                List.of("killed"), Stream.of(Safety.values()).map(Safety::label).toList());
        for (LossCase row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.name()));
            Stream.of(Safety.values()).forEach(safety -> cells.add(cell(readings, row, safety)));
            table.add(cells);
        }
        out.println();
        out.println("jobs lost of those whose enqueue was answered, by the durability of the queue");
        table.print(out);
    }

    private static String cell(Readings readings, LossCase row, Safety safety) {
        OptionalDouble lost = sum(readings, row.subject(safety), JobTrial.LOST);
        if (lost.isEmpty()) {
            return row.absent()
                    .getOrDefault(safety, safety == Safety.FILE && noFile(readings) ? "no WAITAOF here" : "");
        }
        double answered = sum(readings, row.subject(safety), JobTrial.ANSWERED).orElse(0);
        return Numbers.cell(lost.getAsDouble()) + " of " + Numbers.cell(answered);
    }

    /** Where some row has it, this one was only not measured. */
    private static boolean noFile(Readings readings) {
        return readings.subjects(LossScenario.NAME).stream()
                .noneMatch(subject -> subject.endsWith(": " + Safety.FILE.label()));
    }

    private static OptionalDouble sum(Readings readings, String subject, String metric) {
        return Measure.sum(LossScenario.NAME, metric, each -> each.equals(subject))
                .in(readings);
    }
}
