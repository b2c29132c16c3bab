package io.headgate.bench.report;

import io.headgate.bench.report.TextTable.Numbers;

/** A figure that was promised, how it is measured, and where it should be. */
public record Figure(String text, Measure measure, Reach reach) {
    /** Where a figure should be. */
    public record Reach(Side side, double bound) {

        /** On which side of the bound it should be. */
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
