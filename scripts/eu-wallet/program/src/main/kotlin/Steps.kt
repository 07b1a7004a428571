import java.lang.reflect.InvocationTargetException

/** The steps of a run. Each step prints one line. */
class Steps {
    private var passed = 0
    private var failed = 0

    /** Runs a step, and returns its result; null after a failure. A null input means that an earlier step failed. */
    suspend fun <Result> step(name: String, run: suspend () -> Result): Result? =
        try {
            val result = run()
            passed += 1
            println("ok      $name")
            result
        } catch (thrown: Throwable) {
            failed += 1
            println("failed  $name: ${reasonOf(thrown)}")
            null
        }

    /** Prints the totals. Returns the exit code of the program. */
    fun end(): Int {
        println("$passed passed, $failed failed")
        return if (failed == 0 && passed > 0) 0 else 1
    }
}

/** The messages of an error and of its causes, in one line. */
private fun reasonOf(thrown: Throwable): String =
    generateSequence(thrown) { it.cause }
        .filterNot { it is InvocationTargetException }
        .map { "${it::class.simpleName} ${detailOf(it)}".trim().replace(Regex("\\s+"), " ") }
        .distinct()
        .joinToString(" <- ")

/** The libraries' errors have their reason in a member, not in their message. */
private fun detailOf(thrown: Throwable): String = thrown.message ?: thrown.toString().substringAfter('(', "")

/** Throws with a sentence if a condition does not hold. */
fun demand(holds: Boolean, sentence: () -> String) {
    if (!holds) throw IllegalStateException(sentence())
}
