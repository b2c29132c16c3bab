package io.headgate.server.queues;

import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.server.text.Table;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The result of an audit as text and as JSON. */
public final class AuditText {

    private static final int LONGEST = 500;

    private AuditText() {}

    /** Returns whether no problem is left: all problems are repaired, and all checks ran. */
    public static boolean hasNoOpenProblem(AuditReport report) {
        return report.omitted() == 0
                && report.unchecked() == 0
                && report.findings().stream().allMatch(AuditFinding::repaired);
    }

    /** Returns whether the audit found no data of the queue. */
    public static boolean foundNoData(AuditReport report) {
        return report.jobs() == 0 && report.findings().isEmpty();
    }

    public static List<String> lines(String name, AuditReport report) {
        Table table = new Table().words("wrong").words("detail").words("repaired");
        for (AuditFinding finding : report.findings()) {
            table.row(
                    Words.lower(finding.kind()),
                    PayloadText.oneLine(finding.detail(), LONGEST),
                    finding.repaired() ? "yes" : "no");
        }
        List<String> lines = new ArrayList<>();
        if (!report.findings().isEmpty()) {
            lines.addAll(table.lines());
            lines.add("");
        }
        lines.add(summary(name, report));
        return lines;
    }

    /** The result in one line, for example {@code mails: 12 jobs, nothing is wrong}. */
    public static String summary(String name, AuditReport report) {
        long found = report.findings().size() + report.omitted();
        long repaired =
                report.findings().stream().filter(AuditFinding::repaired).count();
        return name + ": " + Words.count(Words.whole(report.jobs()), "job") + ", "
                + (found == 0
                        ? "nothing is wrong"
                        : Words.count(Words.whole(found), "thing") + " wrong"
                                + (repaired == 0 ? "" : ", " + Words.whole(repaired) + " repaired"))
                + (report.omitted() == 0 ? "" : ", " + Words.whole(report.omitted()) + " omitted")
                + (report.unchecked() == 0
                        ? ""
                        : "; " + Words.whole(report.unchecked()) + " not checked: run it again");
    }

    public static Map<String, Object> json(String name, AuditReport report) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        members.put("jobs", report.jobs());
        members.put("findings", report.findings().stream().map(AuditText::json).toList());
        members.put("omitted", report.omitted());
        members.put("unchecked", report.unchecked());
        return members;
    }

    private static Map<String, Object> json(AuditFinding finding) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("kind", Words.lower(finding.kind()));
        members.put("detail", finding.detail());
        members.put("repaired", finding.repaired());
        return members;
    }
}
