package io.headgate.server.top;

import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Table;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Hot keys as text for a terminal. */
final class TopText {

    /** Ids that need no quotes: visible ASCII without a comma, which separates ids. Others are quoted, because clients choose them. */
    private static final Pattern PLAIN = Pattern.compile("[!-+\\--~]{1,80}");

    private TopText() {}

    static List<String> lines(List<TopKeys> all) {
        if (all.isEmpty()) {
            return List.of("no decisions in this minute and the one before");
        }
        List<String> lines = new ArrayList<>();
        for (TopKeys top : all) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(lines(top));
        }
        return lines;
    }

    private static List<String> lines(TopKeys top) {
        List<String> lines = new ArrayList<>();
        lines.add(top.policy() + ", since " + top.from() + ": "
                + Words.count(Words.whole(top.requested().total()), "decision") + ", "
                + Words.whole(top.denied().total()) + " denied"
                + (top.oneIn() == 1 ? "" : ", sampled: one in " + Words.whole(top.oneIn()) + " or more"));
        lines.addAll(lines("most requested", top.requested()));
        lines.addAll(lines("most denied", top.denied()));
        return lines;
    }

    private static List<String> lines(String what, KeyCounts counts) {
        if (counts.keys().isEmpty()) {
            return List.of();
        }
        Table table = new Table()
                .words(what)
                .words("ids")
                .numbers("count")
                .numbers("share")
                .numbers("error");
        for (HotKey key : counts.keys()) {
            table.row(
                    key.rule(),
                    ids(key),
                    Words.whole(key.count()),
                    String.format(Locale.ROOT, "%.1f %%", 100 * counts.share(key)),
                    Words.whole(key.error()));
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.addAll(table.lines());
        lines.add("any other key: at most " + Words.whole(counts.unlisted()));
        return lines;
    }

    private static String ids(HotKey key) {
        return key.ids().isEmpty()
                ? "(global)"
                : key.ids().stream()
                        .map(id -> PLAIN.matcher(id).matches() ? id : Quoted.of(id))
                        .collect(Collectors.joining(", "));
    }
}
