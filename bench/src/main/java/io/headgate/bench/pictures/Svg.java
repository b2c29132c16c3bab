package io.headgate.bench.pictures;

/** Writes an SVG picture, with the background, the light and dark colours, and the description that all pictures have. */
final class Svg {

    /** Blue and orange, which most colour-blind people can distinguish; denied requests are also shorter. */
    private static final String STYLE = """
            text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}
            .title{font-size:16px;font-weight:600}.name{font-weight:600}.most{font-size:15px;font-weight:600}
            .soft{fill:#59636e}.small{font-size:10px;fill:#59636e}.end{text-anchor:end}.mid{text-anchor:middle}
            path{fill:none}.paper{fill:#fff}.grid{stroke:#d1d9e0}.base{stroke:#818b98}.band{fill:#59636e;opacity:.14}
            .limit{stroke:#59636e;stroke-dasharray:4 3}.in{stroke:#0969da;stroke-width:1.6}
            .curve{stroke:#0969da;fill:#0969da;fill-opacity:.18}.no{stroke:#bc4c00;stroke-width:1.6}.wait{stroke:#0969da;opacity:.5}
            @media(prefers-color-scheme:dark){text{fill:#f0f6fc}.soft,.small{fill:#9198a1}.paper{fill:#0d1117}
            .grid{stroke:#3d444d}.base{stroke:#656c76}.band{fill:#9198a1}.limit{stroke:#9198a1}
            .in,.curve,.wait{stroke:#4493f8}.curve{fill:#4493f8;fill-opacity:.25}.no{stroke:#f0883e}}
            """;

    private final StringBuilder picture = new StringBuilder();

    /**
     * Begins a picture.
     *
     * @param width in pixels
     * @param height in pixels
     * @param title what it shows; also drawn at its top
     * @param description a text alternative
     */
    Svg(int width, int height, String title, String description) {
        picture.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        .formatted(width, height, width, height))
                .append(" role=\"img\" aria-labelledby=\"title desc\">\n");
        picture.append("<title id=\"title\">").append(escaped(title)).append("</title>\n");
        picture.append("<desc id=\"desc\">").append(escaped(description)).append("</desc>\n");
        picture.append("<style>\n").append(STYLE).append("</style>\n");
        rect("paper", 0, 0, width, height);
        text("title", 16, 26, title);
    }

    void text(String style, double x, double y, String words) {
        picture.append("<text class=\"%s\" x=\"%s\" y=\"%s\">".formatted(style, Strokes.number(x), Strokes.number(y)))
                .append(escaped(words))
                .append("</text>\n");
    }

    void rect(String style, double x, double y, double width, double height) {
        picture.append("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n"
                .formatted(style, Strokes.number(x), Strokes.number(y), Strokes.number(width), Strokes.number(height)));
    }

    /** Draws strokes, if there are any. */
    void path(String style, Strokes strokes) {
        if (!strokes.data().isEmpty()) {
            picture.append("<path class=\"%s\" d=\"%s\"/>\n".formatted(style, strokes.data()));
        }
    }

    String end() {
        return picture.append("</svg>\n").toString();
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;");
    }

    /** The scale of the time axis: maps a time to its horizontal position. */
    record Scale(long fromMicros, long toMicros, double left, double right) {

        double x(long micros) {
            return left + (right - left) * (micros - fromMicros) / (toMicros - fromMicros);
        }

        boolean contains(long micros) {
            return micros >= fromMicros && micros <= toMicros;
        }
    }

    /** Collects the lines of one SVG path, rounded to tenths of a pixel. */
    static final class Strokes {

        private final StringBuilder data = new StringBuilder();

        Strokes moveTo(double x, double y) {
            data.append('M').append(number(x)).append(' ').append(number(y));
            return this;
        }

        Strokes lineTo(double x, double y) {
            data.append('L').append(number(x)).append(' ').append(number(y));
            return this;
        }

        Strokes acrossTo(double x) {
            data.append('H').append(number(x));
            return this;
        }

        Strokes upOrDownTo(double y) {
            data.append('V').append(number(y));
            return this;
        }

        /** A vertical stroke. */
        Strokes tick(double x, double top, double height) {
            moveTo(x, top);
            data.append('v').append(number(height));
            return this;
        }

        Strokes close() {
            data.append('Z');
            return this;
        }

        String data() {
            return data.toString();
        }

        /** Formats a number with at most one decimal, the same on every machine. */
        static String number(double value) {
            long tenths = Math.round(value * 10);
            return tenths % 10 == 0 ? Long.toString(tenths / 10) : Double.toString(tenths / 10.0);
        }
    }
}
