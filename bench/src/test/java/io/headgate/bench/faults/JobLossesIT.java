package io.headgate.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.faults.LossCase.Safety;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Recorder;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues whose servers are killed: no job is lost where none may be, and lost jobs are detected. */
@Timeout(180)
class JobLossesIT {

    private final Readings readings = new Readings();

    @Test
    void a_sharded_queue_loses_no_replica_confirmed_job_when_a_master_with_a_lagging_replica_is_killed() {
        run(row(LossCase.CLUSTER_BEHIND), Safety.REPLICAS);

        assertThat(value(JobTrial.ANSWERED)).isPositive();
        assertThat(value(JobTrial.NOT_ANSWERED)).isPositive();
        assertThat(value(JobTrial.LOST)).as("%s", readings.notes()).isZero();
    }

    @Test
    void jobs_that_are_lost_by_a_failover_to_a_lagging_replica_are_detected() {
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
