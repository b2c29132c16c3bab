package io.headgate.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.faults.LossCase.Safety;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Recorder;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues whose servers are killed: nothing is lost where nothing may be, and what is lost is seen. */
@Timeout(180)
class JobLossesIT {

    private final Readings readings = new Readings();

    @Test
    void a_queue_with_shards_loses_nothing_that_a_replica_confirmed_when_a_master_is_killed_whose_replica_was_behind() {
        run(row(LossCase.CLUSTER_BEHIND), Safety.REPLICAS);

        assertThat(value(JobTrial.ANSWERED)).isPositive();
        assertThat(value(JobTrial.NOT_ANSWERED)).isPositive();
        assertThat(value(JobTrial.LOST)).as("%s", readings.notes()).isZero();
    }

    @Test
    void jobs_are_lost_and_that_is_seen_when_a_replica_takes_over_that_was_behind() {
        LossCase row = row(LossCase.FAILOVER_BEHIND);
        run(row, Safety.NONE);

        assertThat(row.lossless()).doesNotContain(Safety.NONE);
        assertThat(value(JobTrial.LOST)).isPositive();
    }

    private static LossCase row(String name) {
        return LossCase.named(Set.of(name)).get(0);
    }

    private void run(LossCase row, Safety safety) {
        LossScenario.run(row, safety, new Recorder(readings, LossScenario.NAME, row.subject(safety), 1));
    }

    private double value(String metric) {
        return readings.value(
                        LossScenario.NAME, readings.subjects(LossScenario.NAME).get(0), metric, 1)
                .orElseThrow();
    }
}
