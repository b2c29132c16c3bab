package io.headgate.bench.pictures;

/** Collects the lines of one SVG path, in tenths of a pixel. */
final class Strokes {

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

    /** In tenths, without a fraction that is zero; the same on every machine. */
    static String number(double value) {
        long tenths = Math.round(value * 10);
        return tenths % 10 == 0 ? Long.toString(tenths / 10) : Double.toString(tenths / 10.0);
    }
}
