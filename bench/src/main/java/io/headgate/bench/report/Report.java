package io.headgate.bench.report;

import io.headgate.bench.report.TextTable.Numbers;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Prints the readings as a table for each scenario, then the overviews, then each figure with its verdict. */
public final class Report {

    private final Readings readings;
    private final List<Overview> overviews;
    private final List<Figure> figures;
    private final PrintWriter out;

    public Report(Readings readings, List<Overview> overviews, List<Figure> figures, PrintWriter out) {
        this.readings = readings;
        this.overviews = overviews;
        this.figures = figures;
        this.out = out;
    }

    public void print() {
        readings.scenarios().forEach(this::printScenario);
        overviews.forEach(overview -> overview.print(readings, out));
        printFigures();
        readings.notes().forEach(note -> out.println("note: " + note));
        if (!readings.notes().isEmpty()) {
            out.println();
        }
        out.flush();
    }

    /** How many figures were met, in a few words. */
    public String summary() {
        long met =
                figures.stream().filter(figure -> verdict(figure).equals("met")).count();
        return met + " of " + figures.size() + " figures met";
    }

    private void printScenario(String scenario) {
        List<String> metrics = readings.metrics(scenario);
        TextTable table = new TextTable(List.of("subject"), metrics);
        for (String subject : readings.subjects(scenario)) {
            List<String> cells = new ArrayList<>(List.of(subject));
            metrics.forEach(metric -> cells.add(shown(readings.median(scenario, subject, metric))));
            table.add(cells);
        }
        int rounds = readings.rounds(scenario).size();
        out.println();
        out.println(scenario + (rounds == 1 ? ", one round" : ", medians of " + rounds + " rounds"));
        table.print(out);
    }

    private void printFigures() {
        TextTable table = new TextTable(List.of("figure"), List.of("measured", "reach", "verdict"));
        List<String> notMeasured = new ArrayList<>();
        for (Figure figure : figures) {
            OptionalDouble value = figure.measure().in(readings);
            if (value.isPresent()) {
                table.add(List.of(
                        figure.text(),
                        Numbers.figure(value.getAsDouble()),
                        figure.reach().toString(),
                        verdict(figure)));
            } else {
                notMeasured.add(figure.text());
            }
        }
        out.println();
        if (notMeasured.size() < figures.size()) {
            out.println("figures, ratios taken within each round");
            table.print(out);
        }
        if (!notMeasured.isEmpty()) {
            out.println(notMeasured.size() + " of " + figures.size() + " figures not measured: "
                    + String.join("; ", notMeasured));
        }
        out.println();
    }

    private String verdict(Figure figure) {
        OptionalDouble value = figure.measure().in(readings);
        if (value.isEmpty()) {
            return "not measured";
        }
        return figure.reach().isMetBy(value.getAsDouble()) ? "met" : "not met";
    }

    private static String shown(OptionalDouble value) {
        return value.isPresent() ? Numbers.cell(value.getAsDouble()) : "";
    }

    /** An overview over the readings of several subjects, which is printed below the tables. */
    @FunctionalInterface
    public interface Overview {

        /** Prints the overview, if its readings exist. */
        void print(Readings readings, PrintWriter out);
    }
}
