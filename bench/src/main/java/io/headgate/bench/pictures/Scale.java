package io.headgate.bench.pictures;

/** Where in a picture, from left to right, a time lies. */
record Scale(long fromMicros, long toMicros, double left, double right) {

    double x(long micros) {
        return left + (right - left) * (micros - fromMicros) / (toMicros - fromMicros);
    }

    boolean contains(long micros) {
        return micros >= fromMicros && micros <= toMicros;
    }
}
