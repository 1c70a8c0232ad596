/*
 * survey_text.c
 *		Statements' normalised texts, made such that they can be planned (survey_text.h).
 *
 * pg_stat_statements puts a parameter in the place of each constant's token.  Of "interval
 * '1' day" that leaves "interval $1 day", which no parser takes; of one constant that stands
 * in the target list and in GROUP BY it replaces the first alone, so the expressions differ;
 * and a number that decided which function or operator was meant has lost its type.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "functions/survey_text.h"
#include "mb/pg_wchar.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_node.h"
#include "parser/parse_param.h"
#include "parser/scanner.h"

/* ---------------------------------------------------------------- tokens --- */

typedef struct Tokens
{
	const char *text;
	int			n;
	int		   *at;				/* bytes from the text's start; at[n]: its end */
} Tokens;

/* Those before the byte limit, and the one there; the scanner raises an ERROR of its own. */
static Tokens
scan(const char *text, int limit)
{
	core_yyscan_t scanner;
	core_yy_extra_type extra;
	core_YYSTYPE value;
	YYLTYPE		at;
	Tokens		tokens = {.text = text};
	int			room = 64;

	tokens.at = palloc(room * sizeof(int));
	scanner = scanner_init(text, &extra, &ScanKeywords, ScanKeywordTokens);
	while (core_yylex(&value, &at, scanner) != 0)
	{
		if (tokens.n + 2 > room)
			tokens.at = repalloc(tokens.at, (room *= 2) * sizeof(int));
		tokens.at[tokens.n++] = at;
		if (at >= limit)
			break;
	}
	scanner_finish(scanner);
	tokens.at[tokens.n] = strlen(text);
	return tokens;
}

static bool
is_word(const Tokens *tokens, int i, const char *word)
{
	const Size	n = strlen(word);
	const char *at;

	if (i < 0)
		return false;
	at = tokens->text + tokens->at[i];
	return pg_strncasecmp(at, word, n) == 0 && !isalnum((unsigned char) at[n]) && at[n] != '_';
}

static bool
is_name(const Tokens *tokens, int i)
{
	const char	c = i < 0 ? '\0' : tokens->text[tokens->at[i]];

	return isalpha((unsigned char) c) || c == '_' || c == '"' || IS_HIGHBIT_SET(c);
}

/* The token before the parentheses that end at i, or i */
static int
before_modifier(const Tokens *tokens, int i)
{
	int			depth = 0;

	if (i < 0 || tokens->text[tokens->at[i]] != ')')
		return i;
	for (; i >= 0; i--)
	{
		const char	c = tokens->text[tokens->at[i]];

		depth += c == ')' ? 1 : c == '(' ? -1 : 0;
		if (depth == 0)
			break;
	}
	return i - 1;
}

/* The first token of the type's name that ends at i; -1: none does. */
static int
type_name(const Tokens *tokens, int i)
{
	if (is_word(tokens, i, "zone") && is_word(tokens, i - 1, "time") &&
		(is_word(tokens, i - 2, "with") || is_word(tokens, i - 2, "without")))
		i -= 3;
	i = before_modifier(tokens, i);
	if (is_word(tokens, i, "varying") || is_word(tokens, i, "precision"))
		i--;
	if (is_word(tokens, i - 1, "national"))
		i--;
	if (!is_name(tokens, i))
		return -1;
	while (i >= 2 && tokens->text[tokens->at[i - 1]] == '.' && is_name(tokens, i - 2))
		i -= 2;
	return i;
}

char *
gpuagg_survey_repair(const char *text, int position)
{
	const int	at = pg_mbcharcliplen(text, strlen(text), position - 1);
	const char *end = text + at + 1;
	Tokens		tokens;
	int			first;

	if (position <= 0 || text[at] != '$' || !isdigit((unsigned char) *end))
		return NULL;
	while (isdigit((unsigned char) *end))
		end++;
	tokens = scan(text, at);
	if (is_word(&tokens, tokens.n - 3, "extract"))
		return psprintf("%.*s'%.*s'%s", at, text, (int) (end - text) - at, text + at, end);
	first = type_name(&tokens, tokens.n - 2);
	if (first < 0)
		return NULL;
	first = tokens.at[first];
	return psprintf("%.*s%.*s::%.*s%s", first, text, (int) (end - text) - at, text + at,
					at - first, text + first, end);
}

/* --------------------------------------------------------- one and the same --- */

static bool
is_value(const Node *node)
{
	return IsA(node, ParamRef) || IsA(node, A_Const);
}

/* Of extract(), whose field can be no parameter, a string is: '$1' (gpuagg_survey_repair) */
static bool
is_parameter(const Node *node)
{
	return IsA(node, ParamRef) ||
		(IsA(node, A_Const) && !((const A_Const *) node)->isnull &&
		 IsA(&((const A_Const *) node)->val, String) &&
		 ((const A_Const *) node)->val.sval.sval[0] == '$');
}

static int
value_at(const Node *node)
{
	return IsA(node, ParamRef) ? ((const ParamRef *) node)->location :
		((const A_Const *) node)->location;
}

static bool
collect_values(Node *node, void *list)
{
	if (node == NULL)
		return false;
	if (is_value(node))
	{
		*(List **) list = lappend(*(List **) list, node);
		return false;
	}
	return raw_expression_tree_walker(node, collect_values, list);
}

/* Its parameters and constants, in order */
static List *
values_of(Node *node)
{
	List	   *values = NIL;

	(void) collect_values(node, &values);
	return values;
}

/* A copy in which all parameters and constants are the same parameter */
static Node *
without_values(Node *node)
{
	Node	   *copy = copyObject(node);
	ListCell   *lc;

	/* in place: a constant's node is larger than a parameter's */
	foreach(lc, values_of(copy))
	{
		ParamRef   *value = lfirst(lc);

		value->type = T_ParamRef;
		value->number = 0;
		value->location = -1;
	}
	return copy;
}

/* What is to stand in a place of the text: what stands elsewhere in it, of that value */
typedef struct Edit
{
	int			at;
	const Node *value;
} Edit;

typedef struct Unifier
{
	Node	   *expr;			/* whose values count */
	Node	   *bare;			/* itself without them */
	List	   *edits;			/* Edit *, of different places */
} Unifier;

static void
add_edit(Unifier *unifier, const Node *from, const Node *to)
{
	Edit	   *edit;
	ListCell   *lc;

	if (!is_parameter(from) || equal(from, to) || value_at(from) < 0 || value_at(to) < 0)
		return;
	foreach(lc, unifier->edits)
		if (((Edit *) lfirst(lc))->at == value_at(from))
			return;
	edit = palloc(sizeof(Edit));
	edit->at = value_at(from);
	edit->value = to;
	unifier->edits = lappend(unifier->edits, edit);
}

/* Are they the same, if parameters were those values?  Then they shall be. */
static bool
takes_values(Unifier *unifier, Node *node)
{
	List	   *from = values_of(node);
	List	   *to = values_of(unifier->expr);
	ListCell   *a;
	ListCell   *b;

	if (nodeTag(node) != nodeTag(unifier->expr) || list_length(from) != list_length(to) ||
		!equal(without_values(node), unifier->bare))
		return false;
	forboth(a, from, b, to)
		if (!is_parameter(lfirst(a)) && !equal(lfirst(a), lfirst(b)))
			return false;
	forboth(a, from, b, to)
		add_edit(unifier, lfirst(a), lfirst(b));
	return true;
}

static bool
look_for(Node *node, void *unifier)
{
	if (node == NULL || is_value(node) || takes_values(unifier, node))
		return false;
	return raw_expression_tree_walker(node, look_for, unifier);
}

static void
unify_with(Unifier *unifier, Node *expr, SelectStmt *stmt)
{
	if (is_value(expr) || values_of(expr) == NIL)
		return;
	unifier->expr = expr;
	unifier->bare = without_values(expr);
	(void) look_for((Node *) stmt->targetList, unifier);
	(void) look_for(stmt->havingClause, unifier);
	(void) look_for((Node *) stmt->sortClause, unifier);
}

static void
unify_groups(Unifier *unifier, SelectStmt *stmt, List *groups)
{
	ListCell   *lc;

	foreach(lc, groups)
	{
		Node	   *expr = lfirst(lc);

		if (IsA(expr, GroupingSet))
			unify_groups(unifier, stmt, ((GroupingSet *) expr)->content);
		else
			unify_with(unifier, expr, stmt);
	}
}

static bool
unify(Node *node, void *unifier)
{
	if (node == NULL)
		return false;
	if (IsA(node, SelectStmt))
	{
		SelectStmt *stmt = (SelectStmt *) node;
		ListCell   *lc;

		unify_groups(unifier, stmt, stmt->groupClause);
		foreach(lc, stmt->sortClause)
			unify_with(unifier, lfirst_node(SortBy, lc)->node, stmt);
	}
	return raw_expression_tree_walker(node, unify, unifier);
}

/* The end of the value that begins at a byte; a number may have its sign before it. */
static int
value_end(const char *text, int at)
{
	const int	limit = (text[at] == '-' ? 1 + strspn(text + at + 1, " ") : 0) + 1;
	const Tokens tokens = scan(text + at, limit);
	int			end = at + tokens.at[tokens.n - (tokens.at[tokens.n - 1] >= limit ? 1 : 0)];

	while (end > at && isspace((unsigned char) text[end - 1]))
		end--;
	return end;
}

static int
later_first(const ListCell *a, const ListCell *b)
{
	return ((const Edit *) lfirst(b))->at - ((const Edit *) lfirst(a))->at;
}

/* Of utility statements the walker knows nothing. */
static bool
has_expressions(const RawStmt *raw)
{
	return IsA(raw->stmt, SelectStmt) || IsA(raw->stmt, InsertStmt) ||
		IsA(raw->stmt, UpdateStmt) || IsA(raw->stmt, DeleteStmt);
}

char *
gpuagg_survey_unify(RawStmt *raw, const char *text)
{
	Unifier		unifier = {0};
	char	   *result = pstrdup(text);
	ListCell   *lc;

	if (!has_expressions(raw))
		return NULL;
	(void) unify(raw->stmt, &unifier);
	if (unifier.edits == NIL)
		return NULL;
	list_sort(unifier.edits, later_first);
	foreach(lc, unifier.edits)
	{
		const Edit *edit = lfirst(lc);
		const int	from = value_at(edit->value);

		result = psprintf("%.*s%.*s%s", edit->at, result, value_end(text, from) - from, text + from,
						  result + value_end(result, edit->at));
	}
	return result;
}

static bool
name_field(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (is_value(node))
	{
		if (!IsA(node, ParamRef) && is_parameter(node))
			((A_Const *) node)->val.sval.sval = pstrdup("year");
		return false;
	}
	return raw_expression_tree_walker(node, name_field, context);
}

void
gpuagg_survey_name_fields(RawStmt *raw)
{
	if (has_expressions(raw))
		(void) name_field(raw->stmt, NULL);
}

/* ----------------------------------------------------------------- types --- */

/* What constants without a type's name may have been, the likeliest first */
static const Oid guesses[] = {INT4OID, TEXTOID, NUMERICOID, INTERVALOID};

Query *
gpuagg_survey_analyze(RawStmt *raw, const char *text, GpuAggSurveyTypes *types)
{
	ParseState *pstate = make_parsestate(NULL);
	Query	   *query;

	pstate->p_sourcetext = text;
	setup_parse_variable_parameters(pstate, &types->types, &types->ntypes);
	query = transformTopLevelStmt(pstate, raw);
	free_parsestate(pstate);
	return query;
}

bool
gpuagg_survey_guess(GpuAggSurveyTypes *types)
{
	Bitmapset  *met = NULL;
	int			i = -1;

	for (int k = 0; k < types->ntypes; k++)
		if (types->types[k] == UNKNOWNOID)
			met = bms_add_member(met, k);
	if (met != NULL)
		types->guess = 0;
	else if (types->guessed == NULL || ++types->guess >= lengthof(guesses))
		return false;
	if (met != NULL)
		types->guessed = met;
	while ((i = bms_next_member(types->guessed, i)) >= 0)
		types->types[i] = guesses[types->guess];
	return true;
}
