/*
 * survey_text.h
 *		Texts as pg_stat_statements keeps them, with $1, $2 ... in the places of constants,
 *		made such that they can be planned.
 */
#ifndef GPUAGG_FUNCTIONS_SURVEY_TEXT_H
#define GPUAGG_FUNCTIONS_SURVEY_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Repairs a text in which a parameter follows the name of a type, as "date $1" does where
 * "date '2026-01-01'" was: "$1::date"; or is extract()'s field, as a string.
 * position: in characters from 1, where the parser found an error.  NULL: there is no such
 * parameter.
 */
extern char *gpuagg_survey_repair(const char *text, int position);

/*
 * Makes expressions that were one the same again: of "SELECT a + $1 ... GROUP BY a + 2" the
 * first becomes "a + 2".  raw: the text's tree.  NULL: there is nothing to do.
 */
extern char *gpuagg_survey_unify(RawStmt *raw, const char *text);

/* Fields of extract() that nothing tells are years.  Changes the raw tree. */
extern void gpuagg_survey_name_fields(RawStmt *raw);

/* Of parameters: types that are known, or 0, or UNKNOWNOID once the analysis has met them */
typedef struct GpuAggSurveyTypes
{
	Oid		   *types;
	int			ntypes;
	int			guess;			/* number of the guess for those that were guessed last */
	Bitmapset  *guessed;		/* the parameters that were guessed last */
} GpuAggSurveyTypes;

/* The analysed statement; parameters whose type nothing tells stay unknown. */
extern Query *gpuagg_survey_analyze(RawStmt *raw, const char *text, GpuAggSurveyTypes *types);

/* After an error of the analysis: guesses types, or other ones.  False: none is left. */
extern bool gpuagg_survey_guess(GpuAggSurveyTypes *types);

#endif							/* GPUAGG_FUNCTIONS_SURVEY_TEXT_H */
