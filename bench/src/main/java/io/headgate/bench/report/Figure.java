package io.headgate.bench.report;

import io.headgate.bench.report.TextTable.Numbers;

/** A target figure: its text, how it is computed from readings, and the bound that it should reach. */
public record Figure(String text, Measure measure, Reach reach) {
    /** The bound that a figure should reach. */
    public record Reach(Side side, double bound) {

        /** The side of the bound on which the figure should be. */
        enum Side {
            AT_MOST("<="),
            AT_LEAST(">="),
            MORE_THAN(">");

            private final String sign;

            Side(String sign) {
                this.sign = sign;
            }
        }

        public static Reach atMost(double bound) {
            return new Reach(Side.AT_MOST, bound);
        }

        public static Reach atLeast(double bound) {
            return new Reach(Side.AT_LEAST, bound);
        }

        public static Reach moreThan(double bound) {
            return new Reach(Side.MORE_THAN, bound);
        }

        boolean isMetBy(double value) {
            return switch (side) {
                case AT_MOST -> value <= bound;
                case AT_LEAST -> value >= bound;
                case MORE_THAN -> value > bound;
            };
        }

        @Override
        public String toString() {
            return side.sign + " " + Numbers.figure(bound);
        }
    }
}
