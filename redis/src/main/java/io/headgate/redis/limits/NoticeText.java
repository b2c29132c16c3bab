package io.headgate.redis.limits;

import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * News as the text that is published: who sends it, and each of the news. Texts in it are written as their length and a
 * colon before them, numbers with a blank behind: {@code 4:7f3a19:hg:sw:api:per-user:1 1 5:alice}.
 */
final class NoticeText {

    /** In characters: a hundred ids or more as usual, and of the longest ones a few. */
    static final int MAX_LENGTH = 8192;

    private static final String CHANGED = "0 ";

    private final String text;
    private int at;

    private NoticeText(String text) {
        this.text = text;
    }

    /** Writes as many of them as make one notice, and removes those. */
    static String write(String sender, Iterator<News> waiting) {
        StringBuilder text = new StringBuilder();
        append(text, sender);
        int none = text.length();
        while (waiting.hasNext()) {
            int before = text.length();
            append(text, waiting.next());
            if (text.length() > MAX_LENGTH && before > none) {
                text.setLength(before);
                break;
            }
            waiting.remove();
        }
        return text.toString();
    }

    private static void append(StringBuilder text, News news) {
        append(text, news.stem());
        if (news instanceof News.Freed freed) {
            text.append(freed.permits()).append(' ');
            text.append(freed.ids().size()).append(' ');
            freed.ids().forEach(id -> append(text, id));
        } else {
            text.append(CHANGED);
        }
    }

    private static void append(StringBuilder text, String part) {
        text.append(part.length()).append(':').append(part);
    }

    /** Reads what somebody else has sent; nothing where that was the reader, or it is no notice: anybody may publish anything. */
    static List<News> read(String text, String reader) {
        if (text.length() > MAX_LENGTH) {
            return List.of();
        }
        try {
            NoticeText notice = new NoticeText(text);
            return notice.text().equals(reader) ? List.of() : notice.news();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return List.of();
        }
    }

    private List<News> news() {
        List<News> news = new ArrayList<>();
        while (at < text.length()) {
            String stem = text();
            long permits = number(' ');
            news.add(permits == 0 ? new News.Changed(stem) : new News.Freed(stem, ids(), permits));
        }
        return news;
    }

    private List<String> ids() {
        long count = number(' ');
        if (count > Bounds.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(count + " ids");
        }
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = text();
            // No other one is told, and no request has an empty one.
            if (id.isEmpty() || id.length() > BoundedId.MAX_LENGTH) {
                throw new IllegalArgumentException("an id of " + id.length() + " characters");
            }
            ids.add(id);
        }
        return List.copyOf(ids);
    }

    private String text() {
        int length = Math.toIntExact(Math.min(number(':'), MAX_LENGTH));
        at += length;
        return text.substring(at - length, at);
    }

    private long number(char end) {
        int from = at;
        at = text.indexOf(end, from) + 1;
        // Without an end it is empty, or begins at the front again; neither is a number here.
        long number = Long.parseLong(text.substring(from, at - 1));
        if (number < 0) {
            throw new IllegalArgumentException(number + " is less than nothing");
        }
        return number;
    }
}
