package io.headgate.spring.annotation

import io.headgate.spring.web.LimitExceededException
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.FilteredClassLoader
import io.headgate.spring.web.InFlightExceededException

/** Suspend functions with limits, on the proxies of Spring. */
internal class SuspendFunctionsTest {

    open class Greeter {

        @RateLimited(policy = "user", by = ["user: #name"])
        open suspend fun greet(name: String): String {
            yield()
            return "hello $name"
        }

        @RateLimited(policy = "user", by = ["user: #a0"], fallbackMethod = "busy")
        open suspend fun greetOrBusy(name: String): String = "hello $name"

        protected suspend fun busy(name: String, denial: LimitExceededException): String {
            yield()
            return "$name: ${denial.statusCode.value()}"
        }

        @InFlight(policy = "one")
        open suspend fun hold(end: CompletableFuture<String>): String = end.await()

        @InFlight(policy = "one", maxWait = "20s")
        open suspend fun waitAndRun(): String = "ran"

        @RateLimited(policy = "all")
        open suspend fun numbers(): Flow<Int> = flowOf(1, 2)

        @RateLimited(policy = "all")
        open suspend fun fail(): Unit = throw IllegalStateException("failed")
    }

    private fun test(body: suspend kotlinx.coroutines.CoroutineScope.(Greeter) -> Unit) {
        Limits.APPLICATION.withBean(Greeter::class.java).run { context ->
            assertThat(context).hasNotFailed()
            val greeter = context.getBean(Greeter::class.java)
            runBlocking { withTimeout(20_000) { body(greeter) } }
        }
    }

    private suspend fun denied(call: suspend () -> Any?): Throwable? = runCatching { call() }.exceptionOrNull()

    @Test
    fun a_suspend_function_is_limited_by_its_parameters() = test { greeter ->
        assertThat(listOf(greeter.greet("alice"), greeter.greet("alice"), greeter.greet("bob")))
            .containsExactly("hello alice", "hello alice", "hello bob")
        assertThat(denied { greeter.greet("alice") }).isInstanceOf(LimitExceededException::class.java)
    }

    @Test
    fun a_suspend_function_answers_denied_calls() = test { greeter ->
        val answers = List(3) { greeter.greetOrBusy("alice") }
        assertThat(answers).containsExactly("hello alice", "hello alice", "alice: 429")
    }

    @Test
    fun a_suspend_function_holds_its_permit_until_it_ends() = test { greeter ->
        val end = CompletableFuture<String>()
        val first = async(start = CoroutineStart.UNDISPATCHED) { greeter.hold(end) }
        assertThat(denied { greeter.hold(end) }).isInstanceOf(InFlightExceededException::class.java)
        end.complete("ended")
        assertThat(first.await()).isEqualTo("ended")
        assertThat(greeter.hold(end)).isEqualTo("ended")
    }

    @Test
    fun a_cancelled_coroutine_releases_its_permit() = test { greeter ->
        val first = async(start = CoroutineStart.UNDISPATCHED) { greeter.hold(CompletableFuture()) }
        first.cancelAndJoin()
        assertThat(greeter.hold(CompletableFuture.completedFuture("ran"))).isEqualTo("ran")
    }

    @Test
    fun a_suspend_function_waits_without_blocking_its_thread() = test { greeter ->
        val end = CompletableFuture<String>()
        val holder = async(start = CoroutineStart.UNDISPATCHED) { greeter.hold(end) }
        // On the only thread of this coroutine, which a call that blocks would keep from going on.
        val waiting = async(start = CoroutineStart.UNDISPATCHED) { greeter.waitAndRun() }
        assertThat(waiting.isActive).isTrue()
        end.complete("ended")
        assertThat(listOf(holder.await(), waiting.await())).containsExactly("ended", "ran")
    }

    @Test
    fun each_collection_of_a_flow_is_a_call() = test { greeter ->
        val numbers = greeter.numbers()
        assertThat(numbers.toList()).containsExactly(1, 2)
        assertThat(numbers.toList()).containsExactly(1, 2)
        assertThat(denied { numbers.toList() }).isInstanceOf(LimitExceededException::class.java)
    }

    @Test
    fun the_exception_of_a_suspend_function_reaches_the_caller() = test { greeter ->
        assertThat(denied { greeter.fail() }).isInstanceOf(IllegalStateException::class.java).hasMessage("failed")
    }

    @Test
    fun a_suspend_function_without_the_library_fails_the_start() {
        Limits.APPLICATION.withBean(Greeter::class.java)
            .withClassLoader(FilteredClassLoader("kotlinx.coroutines.reactor"))
            .run { context ->
                assertThat(context.startupFailure)
                    .hasMessageContaining("Greeter.greet(String): @RateLimited: is on a suspend function, which needs kotlinx-coroutines-reactor")
            }
    }

    open class WrongFallback {

        @RateLimited(policy = "all", fallbackMethod = "number")
        open suspend fun text(): String = ""

        protected suspend fun number(): Int = 1
    }

    @Test
    fun the_fallback_of_a_suspend_function_returns_the_same_type() {
        Limits.APPLICATION.withBean(WrongFallback::class.java).run { context ->
            assertThat(context.startupFailure)
                .hasMessageContaining("is number, which must return a String, but returns a")
        }
    }
}
